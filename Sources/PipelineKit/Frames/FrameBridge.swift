// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Synchronization

/// Passes samples from an `appsink` of one pipeline to another pipeline as they arrive: without a copy, without a
/// thread between them, and without waiting.
///
/// Each pipeline runs and ends by itself: errors and the end of the stream do not cross the bridge. The second pipeline
/// can therefore outlive the first, for example a camera that is unplugged.
///
///     let bridge = try FrameBridge(from: "frames", in: camera, to: AppSource(named: "frames", in: screen))
///
/// A bridge is open while this handle exists. ``close()`` closes it at once; the release of the handle closes it soon
/// afterward, in the background. Only the bridge may read from the sink: an ``AppSink`` on the same element replaces
/// the bridge.
///
/// If the second pipeline may be slower, let the `appsrc` keep only the newest buffer:
/// `max-buffers=1 max-bytes=0 leaky-type=downstream`.
public final class FrameBridge: Sendable {
    private let readers: SampleReaders
    private let crossing: Crossing
    private let isClosed = Atomic(false)

    init(_ readers: SampleReaders, _ body: @escaping @Sendable (Sample) -> Void) {
        (self.readers, crossing) = (readers, Crossing(body))
        readers.add(crossing)
    }

    deinit {
        guard !isClosed.load(ordering: .acquiring) else { return }
        // The body may release the last handle of its bridge, under the locks that closing takes.
        DispatchQueue.global().async { [readers, crossing] in
            crossing.close()
            readers.remove(crossing)
        }
    }

    /// Opens a bridge from a pipeline that does not run yet to a source of another pipeline.
    ///
    /// The bridge gives each sample new timestamps: see ``AppSource/relay(_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the `appsink`.
    ///   - pipeline: The pipeline of the `appsink`.
    ///   - source: The destination.
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such element, or it is not an appsink.
    public convenience init(
        from name: String, in pipeline: Pipeline, to source: AppSource
    ) throws(PipelineError) {
        try self.init(from: name, in: pipeline) { source.relay($0) }
    }

    /// Opens a bridge that passes each sample to `body`, one at a time, instead of to a source.
    ///
    /// `body` runs on a streaming thread: it must not wait, change a state, or call ``close()``.
    ///
    /// - Throws: The errors of ``init(from:in:to:)``.
    public convenience init(
        from name: String, in pipeline: Pipeline, _ body: @escaping @Sendable (Sample) -> Void
    ) throws(PipelineError) {
        self.init(try FrameOutlet(named: name, in: pipeline, SampleReaders(keepsNewest: false)).readers, body)
    }

    /// Closes the bridge. When this returns, a sample that was crossing has crossed, and no other will.
    public func close() {
        isClosed.store(true, ordering: .releasing)
        crossing.close()
        readers.remove(crossing)
    }
}

/// The passage of samples over a bridge. Its lock is contended only while the bridge closes.
final class Crossing: Sendable {
    private let isOpen = Mutex(true)
    private let body: @Sendable (Sample) -> Void

    init(_ body: @escaping @Sendable (Sample) -> Void) { self.body = body }

    func receive(_ sample: Sample) { isOpen.withLock { if $0 { body(sample) } } }

    func close() { isOpen.withLock { $0 = false } }
}
