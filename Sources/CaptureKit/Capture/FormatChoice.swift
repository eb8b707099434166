// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import PipelineKit

/// Chooses the format to request from a camera, among those that it offers.
///
/// Fields that the user leaves open are chosen for stills: the largest size, in raw video if that comes at a useful
/// rate, otherwise in JPEG.
struct FormatChoice: Sendable, Hashable {
    /// The caps to request; `nil` leaves the choice to the camera.
    let caps: String?

    /// Chooses the best format for a request.
    ///
    /// - Throws: ``CaptureError`` `.configuration` that names the formats or sizes that the camera offers.
    init(_ request: FormatRequest, offeredBy camera: Camera) throws(CaptureError) {
        let formats = camera.formats.filter { ($0.isRaw || $0.isJPEG) && !$0.sizes.isEmpty }
        if camera.kind == .scene {
            caps = Self.sceneCaps(request)
        } else if formats.isEmpty {
            caps = request.caps
        } else {
            caps = try Self.best(of: Self.named(request, formats, camera), request, camera).caps
        }
    }

    /// Returns the formats with the requested name.
    private static func named(
        _ request: FormatRequest, _ formats: [CameraFormat], _ camera: Camera
    ) throws(CaptureError) -> [CameraFormat] {
        guard let name = request.format else { return formats }
        let named = formats.filter { $0.isNamed(name) || request.isJPEG && $0.isJPEG }
        guard !named.isEmpty else { throw notOffered(name, formats.map(\.fourcc.description), camera) }
        return named
    }

    private static func best(
        of formats: [CameraFormat], _ request: FormatRequest, _ camera: Camera
    ) throws(CaptureError) -> Candidate {
        let candidates = formats.flatMap { format in format.sizes.compactMap { fit($0, format, request) } }
        guard let best = candidates.max(by: { $0.rank < $1.rank }) else {
            let sizes = formats.flatMap(\.sizes).map { "\($0.width)x\($0.height)" }
            throw notOffered(request.sizeText, sizes, camera)
        }
        return best
    }

    private struct Candidate {
        let caps: String
        /// The number of pixels, the quality and the frame rate. The product of a driver's sizes may overflow `Int`.
        let rank: (Double, Int, Double)
    }

    private static func fit(_ size: FrameSize, _ format: CameraFormat, _ request: FormatRequest) -> Candidate? {
        let (width, height) = (request.width ?? size.width, request.height ?? size.height)
        guard size.contains(width: width, height: height) else { return nil }
        let fastest = size.rates.fastest?.doubleValue ?? 0
        var caps = format.isJPEG ? "image/jpeg" : "video/x-raw"
        if !format.isJPEG, let name = format.pixelFormat { caps += ",format=\(name)" }
        caps += ",width=\(width),height=\(height)"
        if let rate = request.frameRate.map({ size.rates.nearest(to: $0) ?? $0 }) {
            caps += ",framerate=\(rate.numerator)/\(rate.denominator)"
        }
        // Raw video ranks above JPEG unless it is slower than 15 frames a second; a format that the driver only
        // emulates ranks last.
        let quality = format.isEmulated ? 0 : format.isJPEG ? 2 : fastest >= 15 || fastest == 0 ? 3 : 1
        return Candidate(caps: caps, rank: (Double(width) * Double(height), quality, fastest))
    }

    private static func sceneCaps(_ request: FormatRequest) -> String {
        let format = request.isJPEG ? "I420" : (request.format.map { FourCC($0).media?.format ?? $0 } ?? "I420")
        let rate = request.frameRate.map { "\($0.numerator)/\($0.denominator)" } ?? "30/1"
        let size = sceneSize(request)
        // Colorimetry is set by name: the scene would otherwise change its color with its size. RGB has none.
        let raw =
            "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),"
            + "framerate=\(rate)" + (VideoFormat(format)?.isRGB == true ? "" : ",colorimetry=bt601")
        return request.isJPEG ? raw + " ! jpegenc" : raw
    }

    /// Returns the requested size; 1920x1080 if both sides are open. If one is open, it is computed for 16:9 and even,
    /// so that chroma can be halved.
    private static func sceneSize(_ request: FormatRequest) -> (width: Int, height: Int) {
        func even(_ length: Int) -> Int { max(2, length & ~1) }
        switch (request.width, request.height) {
        case (let width?, let height?): return (width, height)
        case (let width?, nil): return (width, even(width * 9 / 16))
        case (nil, let height?): return (even(height * 16 / 9), height)
        case (nil, nil): return (1920, 1080)
        }
    }

    private static func notOffered(_ what: String, _ offered: [String], _ camera: Camera) -> CaptureError {
        var unique: [String] = []
        for text in offered where !unique.contains(text) { unique.append(text) }
        let shown = unique.prefix(12).joined(separator: ", ") + (unique.count > 12 ? " and others" : "")
        return CaptureError(
            .configuration, "does not offer \(what)", subject: camera.id, advice: "it offers \(shown)")
    }
}

extension FormatRequest {
    fileprivate var sizeText: String {
        "\(width.map(String.init) ?? "any width") x \(height.map(String.init) ?? "any height")"
    }
}
