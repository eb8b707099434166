// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// Requests pictures one after the other from a camera that sends one for each HTTP request, and then ends the stream.
///
/// The end of a stream that had one frame is kept from the pipeline, and its source makes the next request. Any other
/// end passes: the camera has ended a stream of frames, or sends no pictures.
package final class PictureRequests: Sendable {
    /// The time from one request to the next, or longer if the camera needs longer.
    private static let interval = Duration.milliseconds(500)

    /// The frames since the last request. The probes share it; they must not hold the pipeline.
    private final class Count: Sendable {
        let frames = Mutex(0)
    }

    private let source: String
    private let count = Count()
    private let ends: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// Prepares the requests.
    ///
    /// - Parameters:
    ///   - network: The source of the pipeline.
    ///   - sink: The name of the sink that receives the frames.
    /// - Returns: `nil` if the source delivers no single pictures.
    /// - Throws: `PipelineError` if a pad accepts no probe.
    package init?(of network: NetworkSource, in pipeline: Pipeline, sink: String) throws(PipelineError) {
        guard network.mayBePictures, let entry = try pipeline.element(named: sink).pad("sink"),
            let exit = try pipeline.element(named: network.name).pad("src")
        else { return nil }
        source = network.name
        (ends, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        try entry.probeBuffers { [count] _ in
            count.frames.withLock { $0 += 1 }
            return .pass
        }
        try exit.probeEvents { [count, continuation] event in
            guard case .endOfStream = event, count.frames.withLock({ $0 }) == 1 else { return .pass }
            continuation.yield()
            return .drop
        }
    }

    /// Starts to make further requests. The first was made by the start of the pipeline.
    package func start(_ pipeline: Pipeline) {
        let start = PipelineClock.system.now
        running.withLock { running in
            guard running == nil else { return }
            running = Task { [weak pipeline, source, count, ends] in
                var next = start + Self.interval
                for await _ in ends {
                    try? await Task.sleep(for: next - PipelineClock.system.now, clock: .suspending)
                    guard !Task.isCancelled, let pipeline, await Self.request(source, pipeline, count) else { return }
                    next = PipelineClock.system.now + Self.interval
                }
            }
        }
    }

    /// Ends the requests. Returns when none is being made.
    package func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        continuation.finish()
        await task?.value
    }

    /// Makes the source request its address again. Returns `false` if the pipeline was stopped.
    private static func request(_ name: String, _ pipeline: Pipeline, _ count: Count) async -> Bool {
        do throws(PipelineError) {
            let source = try pipeline.element(named: name)
            try await pipeline.setState(of: source, to: .ready)
            count.frames.withLock { $0 = 0 }
            try await pipeline.setState(of: source, to: .playing)
            return true
        } catch {
            return false
        }
    }
}
