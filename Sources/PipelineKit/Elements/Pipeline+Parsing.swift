// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Pipeline {
    /// Creates a pipeline from a description in gst-launch syntax (`gst_parse_launch_full`).
    ///
    /// Name elements in the description (`appsink name=stills`) to find them later with ``element(named:)``.
    ///
    /// - Throws: ``PipelineError/Code/missingElement`` with every missing element and the Debian packages that contain
    ///   them; ``PipelineError/Code/syntax``, `unknownProperty`, `propertyType`, `notFound` or `link` for other
    ///   mistakes. A pipeline that GStreamer could build only in part is also an error.
    public convenience init(_ description: String) throws(PipelineError) {
        try GStreamer.initialize()
        let element = try Pipeline.parse(description)
        self.init(taking: Pipeline.asPipeline(element), .full)
    }

    /// Parses a description, and returns an element with one reference, which the caller owns.
    private static func parse(_ description: String) throws(PipelineError) -> UnsafeMutablePointer<GstElement> {
        guard !description.utf8.contains(0) else { throw PipelineError(.syntax, "a pipeline contains a NUL character") }
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var failure: UnsafeMutablePointer<GError>?
        let element = gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, &failure)
        // GStreamer may return an element and an error: the pipeline is then incomplete.
        if failure != nil || element == nil {
            if let element { gst_object_unref(gst_object_ref_sink(element)) }
            throw error(consuming: failure, missing: missingElements(context))
        }
        return gst_object_ref_sink(element).assumingMemoryBound(to: GstElement.self)
    }

    private static func missingElements(_ context: OpaquePointer?) -> [String] {
        guard let names = gst_parse_context_get_missing_elements(context) else { return [] }
        defer { g_strfreev(names) }
        var listed: [String] = []
        while let name = names[listed.count] { listed.append(String(cString: name)) }
        // GStreamer also lists an element whose property could not be set, although the element exists.
        return listed.filter { !GStreamer.hasElement($0) }
    }

    private static func error(consuming failure: UnsafeMutablePointer<GError>?, missing: [String]) -> PipelineError {
        guard missing.isEmpty else {
            if let failure { g_error_free(failure) }
            return .missingElements(missing)
        }
        return PipelineError(code(of: failure), consuming: failure, fallback: "an empty pipeline")
    }

    private static func code(of failure: UnsafeMutablePointer<GError>?) -> PipelineError.Code {
        guard let failure, failure.pointee.domain == gst_parse_error_quark() else { return .syntax }
        return switch GstParseError(UInt32(failure.pointee.code)) {
        // Missing plugins are handled before: here, the description uses a name that no element has.
        case GST_PARSE_ERROR_NO_SUCH_ELEMENT: .notFound
        case GST_PARSE_ERROR_NO_SUCH_PROPERTY: .unknownProperty
        case GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY: .propertyType
        case GST_PARSE_ERROR_LINK: .link
        default: .syntax
        }
    }

    /// Puts a single element or bin into a pipeline, which the parser does not do.
    private static func asPipeline(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GstElement> {
        guard g_type_check_instance_is_a(cast(element), gst_pipeline_get_type()) == 0 else { return element }
        let pipeline: UnsafeMutablePointer<GstElement> = gst_pipeline_new(nil)
        gst_object_ref_sink(pipeline)
        gst_bin_add(UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self), element)
        gst_object_unref(element)
        return pipeline
    }

    private static func cast(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GTypeInstance> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self)
    }
}
