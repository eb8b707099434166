// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import PresetKit
import Synchronization

/// Reads barcodes and QR codes in the frames of a preview, a few a second, with GStreamer's `zbar`.
///
///     appsrc ! videoconvert ! zbar ! fakesink
///
/// The search has its own pipeline, so that the preview does not wait for it. Every second frame is mirrored: a preview
/// can be a mirror, in which QR codes cannot be read.
package final class BarcodeSearch: Sendable {
    private static let sourceName = "codes"
    private static let element = "zbar"
    private static let rate = 8
    /// Wide enough for the lines of a barcode that fills a third of the picture.
    private static let widest = 960

    /// The texts of the codes in the order of their frames; the same code comes again with each frame. Only one task
    /// may iterate the stream, which ends with ``close()``.
    package let codes: AsyncStream<String>
    private let pipeline: Pipeline
    private let source: AppSource
    private let feed = Mutex(FrameFeed(rate: BarcodeSearch.rate, widest: BarcodeSearch.widest))
    private let reading: Task<Void, Never>

    /// Creates and starts a search.
    ///
    /// - Throws: `CaptureError` if the element is not installed.
    package static func open() async throws(CaptureError) -> BarcodeSearch {
        guard GStreamer.hasElement(element) else {
            throw CaptureError(
                .configuration, "barcodes cannot be read", subject: element, advice: "install gstreamer1.0-plugins-bad")
        }
        do throws(PipelineError) {
            let search = try await BlockingWork.run { () throws(PipelineError) in try BarcodeSearch() }
            do throws(PipelineError) {
                try await search.pipeline.play()
            } catch {
                await search.close()
                throw error
            }
            return search
        } catch {
            throw CaptureError(.software, error.message, subject: error.element, advice: error.advice)
        }
    }

    private init() throws(PipelineError) {
        pipeline = try Pipeline(
            "appsrc name=\(Self.sourceName) is-live=true format=time max-buffers=1 max-bytes=0 leaky-type=downstream"
                + " ! videoconvert ! \(Self.element) ! fakesink sync=false")
        source = try AppSource(named: Self.sourceName, in: pipeline)
        let (codes, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(8))
        self.codes = codes
        let messages = pipeline.bus.messages()
        reading = Task {
            for await message in messages {
                guard case .element(let structure) = message.content, structure.name == "barcode",
                    let symbol: String = structure["symbol"]
                else { continue }
                continuation.yield(FixedText.clean(Array(symbol.utf8)))
            }
            continuation.finish()
        }
    }

    /// Passes a frame to the search if one is due. It does not wait for the result. Runs on a streaming thread.
    package func look(at buffer: Buffer, _ info: VideoInfo, _ time: ClockTime) {
        let sample = feed.withLock { $0.sample(from: buffer, info, time, alternating: true) }
        if let sample { try? source.push(sample) }
    }

    /// Stops the search's pipeline. Returns when ``codes`` has ended.
    package func close() async {
        try? await pipeline.stop()
        reading.cancel()
        await reading.value
    }
}
