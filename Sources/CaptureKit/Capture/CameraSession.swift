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

    /// Builds and starts the pipeline.
    ///
    /// - Parameter preview: What works on the second branch, where the description has one.
    /// - Throws: ``CaptureError`` with the camera as its subject, or the preview; the camera is free again by then.
    init(
        _ description: SourceDescription, subject: String, preview: PreviewBranch? = nil
    ) async throws(CaptureError) {
        self.subject = subject
        do {
            pipeline = try Pipeline(description.text)
            sink = try AppSink(named: SourceDescription.sinkName, in: pipeline, .keepNewest(1))
            try preview?.attach(to: pipeline)
        } catch {
            throw Self.error(error, description, subject)
        }
        do throws(PipelineError) {
            try await pipeline.play()
        } catch {
            do throws(PipelineError) {
                // A driver that hangs is not waited for much longer.
                try await pipeline.stop(deadline: .seconds(2))
            } catch {
                throw CaptureError(error, subject: subject)
            }
            throw Self.error(error, description, subject)
        }
    }

    /// An element that is missing has no place in a pipeline yet: its name tells.
    private static func error(
        _ error: PipelineError, _ description: SourceDescription, _ subject: String
    ) -> CaptureError {
        let isMissingInPreview =
            error.code == .missingElement && description.preview?.text.contains(" \(error.element ?? "") ") ?? false
        return error.isOfPreview || isMissingInPreview
            ? CaptureError(preview: error) : CaptureError(error, subject: subject)
    }

    /// What the pipeline has to say.
    var messages: BusMessages { pipeline.bus.messages() }

    /// When the last frame came; `nil` before the first.
    var lastArrival: ClockTime? { sink.lastArrival }

    /// Waits for the next frame; `nil` when the stream ends, is closed, or the task is cancelled.
    func nextFrame() async -> Frame? {
        while let sample = await sink.nextSample() {
            // Damaged frames are no pictures; the next comes soon.
            if sample.buffer?.isCorrupted == true { continue }
            return Frame(sample: sample, time: time(of: sample))
        }
        return nil
    }

    /// Ends the wait for frames, for whoever waits and whoever will, and closes the camera in the background.
    func endFrames() { pipeline.stopSoon() }

    /// Ends it; the camera is free when this returns.
    ///
    /// - Throws: ``CaptureError/Code/wedged`` where the driver hangs; its thread is then lost.
    func close() async throws(CaptureError) {
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
