// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The start of a pipeline, into which the program puts data (`GstAppSrc`).
public final class AppSource: Sendable {
    /// The element, for its properties and pads.
    public let element: Element

    /// Puts data into an `appsrc` of a pipeline.
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - pipeline: Where it is.
    ///   - caps: What the data is; `nil` leaves what the description says.
    /// - Throws: ``PipelineError/Code/notFound`` where there is no such element, or it is no appsrc.
    public init(named name: String, in pipeline: Pipeline, caps: Caps? = nil) throws(PipelineError) {
        element = try pipeline.element(named: name)
        guard g_type_check_instance_is_a(element.cast(), gst_app_src_get_type()) != 0 else {
            throw element.failure(.notFound, "is no appsrc")
        }
        try element.set("format", to: "time")
        if let caps { setCaps(caps) }
    }

    /// Says what the data that follows is (`gst_app_src_set_caps`).
    public func setCaps(_ caps: Caps) { gst_app_src_set_caps(element.cast(), caps.pointer) }

    /// Hands a buffer over (`gst_app_src_push_buffer`). It does not wait: what the pipeline has not taken is queued.
    ///
    /// - Throws: ``PipelineError/Code/flow`` where the pipeline does not take data: stopped, flushing, or at its end.
    public func push(_ buffer: Buffer) throws(PipelineError) {
        gst_buffer_ref(buffer.pointer)
        try check(gst_app_src_push_buffer(element.cast(), buffer.pointer))
    }

    /// Hands a sample over, with its caps (`gst_app_src_push_sample`).
    ///
    /// - Throws: as ``push(_:)-(Buffer)``.
    public func push(_ sample: Sample) throws(PipelineError) {
        try check(gst_app_src_push_sample(element.cast(), sample.pointer))
    }

    /// Hands on what comes from another pipeline, with its caps, stamped with this moment in the running time of this one.
    ///
    /// The times of one pipeline mean nothing in another. The data is not copied, and nobody waits; where this pipeline
    /// takes none, it is let go. For streaming threads: see ``FrameBridge``.
    public func relay(_ sample: Sample) {
        guard let buffer = gst_sample_get_buffer(sample.pointer) else { return }
        if let caps = gst_sample_get_caps(sample.pointer) { gst_app_src_set_caps(element.cast(), caps) }
        // A buffer of its own for the times: others hold the one that came.
        let stamped = gst_buffer_copy(buffer)
        stamped?.pointee.pts = runningTime
        stamped?.pointee.dts = cgst_clock_time_none
        _ = gst_app_src_push_buffer(element.cast(), stamped)
    }

    /// None before the pipeline plays.
    private var runningTime: GstClockTime {
        let base = gst_element_get_base_time(element.cast())
        let now = GstClockTime(PipelineClock.system.now.nanoseconds)
        return base == 0 || base == cgst_clock_time_none || now < base ? cgst_clock_time_none : now - base
    }

    /// Says that nothing follows (`gst_app_src_end_of_stream`).
    ///
    /// - Throws: ``PipelineError/Code/flow``.
    public func endStream() throws(PipelineError) { try check(gst_app_src_end_of_stream(element.cast())) }

    private func check(_ flow: GstFlowReturn) throws(PipelineError) {
        guard flow != GST_FLOW_OK else { return }
        let reason = gst_flow_get_name(flow).map { String(cString: $0) } ?? "\(flow.rawValue)"
        throw element.failure(.flow, "takes no data: \(reason)")
    }
}
