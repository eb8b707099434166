// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import StillKit

/// An open camera: its pipeline, and its frames one after the other.
///
/// One task at a time may use it. The sink drops frames that no task waits for, so an idle session runs no Swift code
/// except a counter for each frame.
package final class CameraSession: Sendable {
    private let pipeline: Pipeline
    private let sink: AppSink
    private let subject: String
    private let lens: PreviewLens?

    /// Builds and starts the pipeline.
    ///
    /// - Parameter preview: Shows the frames, if the description has a branch for it.
    /// - Throws: ``CaptureError`` with the camera or the preview as its subject; the camera is released by then.
    init(
        _ description: SourceDescription, subject: String, preview: PreviewScreen? = nil
    ) async throws(CaptureError) {
        self.subject = subject
        do throws(PipelineError) {
            pipeline = try Pipeline(description.text)
            sink = try AppSink(named: SourceDescription.sinkName, in: pipeline, .keepNewest(1))
        } catch {
            throw CaptureError(error, subject: subject)
        }
        lens = try await Self.link(preview, to: pipeline, description)
        do throws(PipelineError) {
            try await pipeline.play()
        } catch {
            await lens?.close()
            do throws(PipelineError) {
                // A driver that hangs gets only a little more time.
                try await pipeline.stop(deadline: .seconds(2))
            } catch {
                throw CaptureError(error, subject: subject)
            }
            throw CaptureError(error, subject: subject)
        }
    }

    private static func link(
        _ preview: PreviewScreen?, to pipeline: Pipeline, _ description: SourceDescription
    ) async throws(CaptureError) -> PreviewLens? {
        guard let own = description.preview else { return nil }
        return try await preview?.link(to: pipeline, of: own.media, own.orientation)
    }

    /// The messages of the pipeline's bus.
    var messages: BusMessages { pipeline.bus.messages() }

    /// The first error that the pipeline reported, which is known before its frames end because of it; `nil` if there
    /// is none.
    package var failure: CaptureError? { pipeline.bus.firstError.map { CaptureError($0, subject: subject) } }

    /// When the last frame arrived; `nil` before the first.
    var lastArrival: ClockTime? { sink.lastArrival }

    /// Waits for the next frame. Returns `nil` if the stream ends, fails (see ``failure``) or is closed, or if the task
    /// is canceled.
    func nextFrame() async -> Frame? {
        while let sample = try? await sink.nextSample() {
            // Damaged frames are skipped; the next comes soon.
            if sample.buffer?.isCorrupted == true { continue }
            return Frame(sample: sample, time: time(of: sample), arrival: lastArrival)
        }
        return nil
    }

    /// Ends the wait for frames, for current and later callers of ``nextFrame()``, and closes the camera in the
    /// background.
    func endFrames() { pipeline.stopSoon() }

    /// Closes the session; the camera is released when this returns. The preview keeps its last picture, and no memory
    /// of the camera.
    ///
    /// - Throws: ``CaptureError/Code/wedged`` if the driver hangs; its thread is lost then.
    func close() async throws(CaptureError) {
        await lens?.close()
        do throws(PipelineError) {
            try await pipeline.stop()
        } catch {
            throw CaptureError(error, subject: subject)
        }
    }

    private func time(of sample: Sample) -> ClockTime {
        // Without timestamps, a frame counts as captured when it arrives.
        guard let base = pipeline.baseTime, let running = sample.runningTime else { return PipelineClock.system.now }
        return base + .nanoseconds(Int64(clamping: running.nanoseconds))
    }
}
