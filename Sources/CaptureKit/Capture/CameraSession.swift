// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A camera that is open: its pipeline, and its frames one after the other.
///
/// Used by one task at a time. Frames that come while nobody asks are dropped by the sink, so an idle session costs no
/// Swift code but a counter for each frame.
final class CameraSession: Sendable {
    private let pipeline: Pipeline
    private let sink: AppSink
    private let subject: String
    private let lens: PreviewLens?

    /// Builds and starts the pipeline.
    ///
    /// - Parameter preview: What shows the frames, where the description has a branch for it.
    /// - Throws: ``CaptureError`` with the camera as its subject, or the preview; the camera is free again by then.
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
                // A driver that hangs is not waited for much longer.
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

    /// What the pipeline has to say.
    var messages: BusMessages { pipeline.bus.messages() }

    /// What went wrong first, told by the pipeline: known before its frames end because of it.
    var failure: CaptureError? { pipeline.bus.firstError.map { CaptureError($0, subject: subject) } }

    /// When the last frame came; `nil` before the first.
    var lastArrival: ClockTime? { sink.lastArrival }

    /// Waits for the next frame; `nil` when the stream ends, fails (see ``failure``) or is closed, or the task is
    /// cancelled.
    func nextFrame() async -> Frame? {
        while let sample = try? await sink.nextSample() {
            // Damaged frames are no pictures; the next comes soon.
            if sample.buffer?.isCorrupted == true { continue }
            return Frame(sample: sample, time: time(of: sample), arrival: lastArrival)
        }
        return nil
    }

    /// Ends the wait for frames, for whoever waits and whoever will, and closes the camera in the background.
    func endFrames() { pipeline.stopSoon() }

    /// Ends it; the camera is free when this returns. The preview keeps what it shows, and nothing of the camera.
    ///
    /// - Throws: ``CaptureError/Code/wedged`` where the driver hangs; its thread is then lost.
    func close() async throws(CaptureError) {
        await lens?.close()
        do throws(PipelineError) {
            try await pipeline.stop()
        } catch {
            throw CaptureError(error, subject: subject)
        }
    }

    private func time(of sample: Sample) -> ClockTime {
        // A source without times is taken at its word when its frame arrives.
        guard let base = pipeline.baseTime, let running = sample.runningTime else { return PipelineClock.system.now }
        return base + .nanoseconds(Int64(clamping: running.nanoseconds))
    }
}
