// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import FrameMeasures
import Glibc
import PipelineKit
import Synchronization

/// Searches the frames of a preview for faces, a few a second, with GStreamer's `facedetect` (OpenCV's Haar cascades).
///
///     appsrc ! videoconvert ! facedetect ! fakesink
///
/// The search has its own pipeline, so that the preview does not wait for it: a frame takes some 10 to 30 ms. It keeps
/// only the newest of the frames that arrive meanwhile.
final class FaceSearch: Sendable {
    /// The most frames a second.
    static let rate = 5
    /// The advice if the element or its cascade is not installed.
    static let advice = "faces cannot be detected: install gstreamer1.0-opencv and opencv-data"

    private static let sourceName = "faces"
    private static let detectorName = "detector"
    /// The width to which an expected face is scaled, in pixels.
    private static let faceWidth = 48.0
    /// The smallest detected face, in pixels; the cascade knows none below 20.
    private static let smallest = 20

    private let pipeline: Pipeline
    private let source: AppSource
    private let feed: Mutex<FrameFeed>

    /// Creates and starts a search.
    ///
    /// - Parameter width: The expected width of faces, as a part of the frames' width.
    /// - Throws: ``PipelineError`` if the element or its cascade is not installed.
    static func open(expecting width: Double) async throws(PipelineError) -> FaceSearch {
        // Loading the element's large libraries takes a while.
        let search = try await BlockingWork.run { () throws(PipelineError) in try FaceSearch(expecting: width) }
        do throws(PipelineError) {
            try await search.pipeline.play()
        } catch {
            await search.close()
            throw error
        }
        return search
    }

    private init(expecting width: Double) throws(PipelineError) {
        pipeline = try Pipeline(
            "appsrc name=\(Self.sourceName) is-live=true format=time max-buffers=1 max-bytes=0 leaky-type=downstream"
                + " ! videoconvert ! \(FaceGate.element) name=\(Self.detectorName) display=false"
                + " min-size-width=\(Self.smallest) min-size-height=\(Self.smallest) ! fakesink sync=false")
        let detector = try pipeline.element(named: Self.detectorName)
        // Without its cascade the element finds no faces, and reports no error.
        guard let cascade: String = try? detector.get("profile"), access(cascade, R_OK) == 0 else {
            throw PipelineError(
                .notFound, "the cascade file for faces is missing", element: FaceGate.element, advice: Self.advice)
        }
        source = try AppSource(named: Self.sourceName, in: pipeline)
        let widest = min(max(Self.faceWidth / max(width, 0.01), 160), 640)
        feed = Mutex(FrameFeed(rate: Self.rate, widest: Int(widest)))
    }

    /// The results: a message of the element for each searched frame.
    var messages: BusMessages { pipeline.bus.messages() }

    /// The size of the searched frames; 0 before the first.
    var size: PreviewSize { feed.withLock { PreviewSize(width: $0.width, height: $0.height) } }

    /// Passes a frame to the search if one is due. It does not wait for the result. Runs on a streaming thread.
    ///
    /// - Returns: `false` if the frame is not searched, so that no message follows.
    @discardableResult
    func look(at buffer: Buffer, _ info: VideoInfo, _ time: ClockTime) -> Bool {
        guard let sample = feed.withLock({ $0.sample(from: buffer, info, time) }) else { return false }
        return (try? source.push(sample)) != nil
    }

    /// Stops the search's pipeline.
    func close() async { try? await pipeline.stop() }
}
