// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// Hands what reaches an `appsink` of one pipeline on to another pipeline, as it comes: no copy, no thread between them,
/// and nobody waits.
///
/// Each pipeline lives and ends by itself: errors and the end of the stream stay on their side. That is what makes the
/// second one outlive the first, which may be a camera that goes away.
///
///     let bridge = try FrameBridge(from: "frames", in: camera, to: AppSource(named: "frames", in: screen))
///
/// The sink is asked for nothing else then: an ``AppSink`` on the same element takes its place. Where the second pipeline
/// may be slower, let the `appsrc` keep the newest only: `max-buffers=1 max-bytes=0 leaky-type=downstream`.
public final class FrameBridge: Sendable {
    private let deck: Deck

    /// Opens a bridge from a pipeline that does not run yet to a source of another.
    ///
    /// What crosses is stamped anew: see ``AppSource/relay(_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the `appsink`.
    ///   - pipeline: Where it is.
    ///   - source: Where to.
    /// - Throws: ``PipelineError/Code/notFound`` where there is no such element, or it is no appsink.
    public convenience init(
        from name: String, in pipeline: Pipeline, to source: AppSource
    ) throws(PipelineError) {
        try self.init(from: name, in: pipeline) { source.relay($0) }
    }

    /// Opens a bridge at whose end the program decides: `body` gets each sample, one at a time.
    ///
    /// It runs on a streaming thread: no waiting, no change of state, and no ``close()``.
    ///
    /// - Throws: as ``init(from:in:to:)``.
    public init(
        from name: String, in pipeline: Pipeline, _ body: @escaping @Sendable (Sample) -> Void
    ) throws(PipelineError) {
        deck = Deck(body)
        let sink = try AppSink(named: name, in: pipeline, .keepNewest(1))
        var callbacks = GstAppSinkCallbacks()
        callbacks.new_sample = crossBridge
        gst_app_sink_set_callbacks(
            sink.element.cast(), &callbacks, Unmanaged.passRetained(deck).toOpaque(), releaseDeck)
    }

    /// Hands nothing on from now on. What is just crossing has crossed when this returns.
    public func close() { deck.close() }
}

/// What the streaming thread sees of a bridge. Its lock is contended only in the moment of the end.
private final class Deck: Sendable {
    private let isOpen = Mutex(true)
    private let body: @Sendable (Sample) -> Void

    init(_ body: @escaping @Sendable (Sample) -> Void) { self.body = body }

    func cross(_ sample: Sample) { isOpen.withLock { if $0 { body(sample) } } }

    func close() { isOpen.withLock { $0 = false } }
}

// Free functions: a closure literal could inherit an actor's isolation and die on a streaming thread.
private func crossBridge(_ sink: UnsafeMutablePointer<GstAppSink>?, _ data: gpointer?) -> GstFlowReturn {
    // Taken even where the bridge is closed: the sink must not keep what a camera owns few of.
    guard let data, let pointer = gst_app_sink_try_pull_sample(sink, 0) else { return GST_FLOW_OK }
    Unmanaged<Deck>.fromOpaque(data).takeUnretainedValue().cross(Sample(pointer, .full))
    return GST_FLOW_OK
}

private func releaseDeck(_ data: gpointer?) {
    if let data { Unmanaged<Deck>.fromOpaque(data).release() }
}
