// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureKit
import ClipKit

/// The live video that a viewer wants. All viewers with equal requests share one encoder.
public struct VideoRequest: Sendable, Hashable {
    /// The width in pixels, after turning. If the height is `nil`, the proportions stay.
    public var width: Int?
    /// The height in pixels, after turning. If the width is `nil`, the proportions stay. If both are, the size is that of
    /// the camera's frames, scaled down to fit into 1920x1080.
    public var height: Int?
    /// The maximum number of pictures per second; `nil` for each frame.
    public var rate: Int?
    /// Bits a second; `nil` for a rate that suits the size.
    public var bitRate: Int?
    /// The layers on the pictures.
    public var layers = StreamRequest.Layers.none

    /// The accepted bit rates.
    public static let bitRates = 100_000...50_000_000

    /// Creates a request for video as the camera delivers its frames.
    public init() {}

    var settings: VideoSettings {
        var settings = VideoSettings()
        (settings.width, settings.height, settings.bitRate) = (width, height, bitRate)
        settings.frameRate = rate.flatMap { FrameRate($0) }
        return settings
    }

    /// Burns the layers of the request in, in place of those of pictures. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such outline.
    func configure(_ configuration: inout CaptureConfiguration) throws(CaptureError) {
        try layers.choose(in: &configuration)
        configuration.burnIn = layers == .none ? [] : configuration.overlay
    }
}
