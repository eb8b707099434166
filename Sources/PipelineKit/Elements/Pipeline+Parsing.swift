// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Pipeline {
    /// Makes a pipeline from a description in gst-launch syntax (`gst_parse_launch_full`).
    ///
    /// Give elements names (`appsink name=stills`) to find them again with ``element(named:)``.
    ///
    /// - Throws: ``PipelineError/Code/missingElement`` with every element that is missing and the Debian packages that
    ///   bring them; ``PipelineError/Code/syntax``, `unknownProperty`, `propertyType`, `notFound` or `link` for what else
    ///   does not fit. A pipeline that GStreamer could only build in part is an error, too.
    public convenience init(_ description: String) throws(PipelineError) {
        try GStreamer.initialize()
        let element = try Pipeline.parse(description)
        self.init(taking: Pipeline.asPipeline(element), .full)
    }

    /// Parses, and returns an element that we hold the one reference to.
    private static func parse(_ description: String) throws(PipelineError) -> UnsafeMutablePointer<GstElement> {
        guard !description.utf8.contains(0) else { throw PipelineError(.syntax, "a pipeline holds a NUL character") }
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var failure: UnsafeMutablePointer<GError>?
        let element = gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, &failure)
        // There may be an element and an error: a pipeline in part is no pipeline.
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
        // An element whose property could not be set is listed too, though it is there.
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
        // Elements whose plugin is missing were told before: this one is a name in the description.
        case GST_PARSE_ERROR_NO_SUCH_ELEMENT: .notFound
        case GST_PARSE_ERROR_NO_SUCH_PROPERTY: .unknownProperty
        case GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY: .propertyType
        case GST_PARSE_ERROR_LINK: .link
        default: .syntax
        }
    }

    /// One element alone is not put into a pipeline by the parser.
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
