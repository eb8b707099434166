// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The size of the preview, in square pixels.
struct PreviewSize: Sendable, Hashable {
    let width: Int
    let height: Int

    /// What a preview that nobody asked another of fits into.
    static let limit = PreviewSize(width: 1280, height: 720)

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size asked for, or that of frames of this format: as they are shown, scaled down to fit ``limit``, never up.
    init(of info: VideoInfo, _ request: PreviewRequest) {
        let aspect = Self.aspect(info)
        switch (request.width, request.height) {
        case (let width?, let height?): self.init(width: width, height: height)
        case (let width?, nil): self.init(width: width, height: Self.even(Double(width) / aspect))
        case (nil, let height?): self.init(width: Self.even(Double(height) * aspect), height: height)
        case (nil, nil): self.init(fitting: info, aspect)
        }
    }

    /// The size asked for, where there are no frames yet.
    init(of request: PreviewRequest) {
        let (width, height) = (Double(Self.limit.width), Double(Self.limit.height))
        switch (request.width, request.height) {
        case (let wanted?, nil): self.init(width: wanted, height: Self.even(Double(wanted) * height / width))
        case (nil, let wanted?): self.init(width: Self.even(Double(wanted) * width / height), height: wanted)
        case (let wantedWidth, let wantedHeight):
            self.init(width: wantedWidth ?? Self.limit.width, height: wantedHeight ?? Self.limit.height)
        }
    }

    private init(fitting info: VideoInfo, _ aspect: Double) {
        let width = Double(info.height) * aspect
        let scale = min(1, Double(Self.limit.width) / width, Double(Self.limit.height) / Double(info.height))
        if scale == 1, info.width == Int(width.rounded()) {
            // As it comes, odd or not: nothing needs to be scaled.
            self.init(width: info.width, height: info.height)
        } else {
            self.init(width: Self.even(width * scale), height: Self.even(Double(info.height) * scale))
        }
    }

    private static func aspect(_ info: VideoInfo) -> Double {
        let pixel = info.pixelAspectRatio
        let isKnown = pixel.numerator > 0 && pixel.denominator > 0
        let ratio = isKnown ? Double(pixel.numerator) / Double(pixel.denominator) : 1
        return Double(info.width) / Double(info.height) * ratio
    }

    /// Chroma can be halved in it.
    private static func even(_ length: Double) -> Int { max(2, Int((min(length, 16384) / 2).rounded()) * 2) }
}
