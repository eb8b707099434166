// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import PipelineKit
import SystemBase

/// Reads barcodes and QR codes in a picture, with GStreamer's `zbar`.
///
///     appsrc ! jpegdec ! videoconvert ! zbar ! fakesink
enum BarcodeReader {
    private static let sourceName = "picture"
    private static let element = "zbar"
    /// The widths at which a picture is searched, in pixels, until there is a code: a small one has less noise, and a large
    /// one shows small codes.
    private static let widths = [1280, 2560, 5120]

    /// Returns the texts of the codes in a JPEG, each once.
    ///
    /// - Throws: `CaptureError` `.configuration` if the element is not installed, and if the picture is damaged.
    static func codes(in jpeg: [UInt8]) async throws(CaptureError) -> [String] {
        guard GStreamer.hasElement(element) else {
            throw CaptureError(
                .configuration, "barcodes cannot be read", subject: element, advice: "install gstreamer1.0-plugins-bad")
        }
        var last: [UInt8] = []
        for width in widths {
            // The copy is upright, and made by a reader for pictures of strangers.
            let copy = try await StillCoding.thumbnail(of: jpeg, .jpeg, width: width)
            // A picture that is smaller has the same copy at each width.
            guard copy != last else { break }
            last = copy
            do {
                let codes = try await search(copy)
                if !codes.isEmpty { return codes }
            } catch {
                throw CaptureError(.software, "barcodes cannot be read: \(error)", subject: element)
            }
        }
        return []
    }

    private static func search(_ jpeg: [UInt8]) async throws -> [String] {
        let pipeline = try await BlockingWork.run { () throws(PipelineError) in
            try Pipeline(
                "appsrc name=\(sourceName) is-live=true caps=image/jpeg ! jpegdec ! videoconvert ! \(element)"
                    + " ! fakesink sync=false")
        }
        do {
            let codes = try await search(jpeg, pipeline)
            try? await pipeline.stop()
            return codes
        } catch {
            try? await pipeline.stop()
            throw error
        }
    }

    private static func search(_ jpeg: [UInt8], _ pipeline: Pipeline) async throws -> [String] {
        let source = try AppSource(named: sourceName, in: pipeline)
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        try source.push(try Buffer(jpeg, presentationTime: .zero))
        try source.endStream()
        var codes: [String] = []
        for await message in messages {
            switch message.content {
            case .element(let structure):
                guard structure.name == "barcode", let symbol: String = structure["symbol"] else { continue }
                let code = FixedText.clean(Array(symbol.utf8))
                if !codes.contains(code) { codes.append(code) }
            case .error(let error): throw error
            case .endOfStream: return codes
            default: break
            }
        }
        return codes
    }
}
#endif
