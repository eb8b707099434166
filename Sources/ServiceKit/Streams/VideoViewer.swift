// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization
import VideoKit

/// The live video of one viewer. It begins with a key frame; after units that the viewer was too slow for, and after a loss
/// of the camera, it continues with one. One task at a time may read it. The viewer leaves when the value is released.
package final class VideoViewer: Sendable {
    private struct State {
        /// The units of the current video, and its number.
        var reader: EncodedReader?
        var number = 0
    }

    private let stream: VideoStream
    private let id: Int
    private let state = Mutex(State())

    /// How many seconds of video may wait for a slow client, and how many bytes they are at least.
    private static let patience = 1, leastBytes = 256 << 10

    init(_ stream: VideoStream, _ id: Int) { (self.stream, self.id) = (stream, id) }

    deinit { leave() }

    /// Leaves the stream: ``first()`` and ``next()`` return `nil`.
    package func leave() {
        stream.audience.leave(id)
        state.withLock { $0.reader }?.close()
    }

    /// Waits for the first unit. Returns `nil` at the end of the stream, and when the task is canceled.
    ///
    /// - Throws: The fault because of which there is no video: the camera is away, or no encoder works.
    package func first() async throws(CaptureError) -> EncodedUnit? {
        try await next { (error) throws(CaptureError) in throw error }
    }

    /// Waits for the next unit, also while the camera is lost. Returns `nil` at the end of the stream, and when the task is
    /// canceled.
    package func next() async -> EncodedUnit? { try? await next { _ in } }

    private func next(
        _ fault: (CaptureError) throws(CaptureError) -> Void
    ) async throws(CaptureError) -> EncodedUnit? {
        while !Task.isCancelled {
            let signals = stream.audience.signals
            // The stream tells the error of an encoder, and tries another one.
            if let reader = state.withLock({ $0.reader }), let unit = try? await reader.next() { return unit }
            switch stream.video(after: state.withLock { $0.number }, for: id) {
            case .video(let video, let number):
                let limit = max(Self.leastBytes, video.format.bitRate / 8 * Self.patience)
                let reader = video.encoder.outlet.reader(limit: limit)
                state.withLock { $0 = State(reader: reader, number: number) }
            case .fault(let error):
                try fault(error)
                await stream.audience.wait(after: signals)
            case .wait: await stream.audience.wait(after: signals)
            case .end: return nil
            }
        }
        return nil
    }
}
