// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// The live pictures that a viewer wants. All viewers with equal requests share one encoder.
public struct StreamRequest: Sendable, Hashable {
    /// The width in pixels, after turning. If the height is `nil`, the proportions stay.
    public var width: Int?
    /// The height in pixels, after turning. If the width is `nil`, the proportions stay.
    public var height: Int?
    /// The maximum number of pictures per second; `nil` for each frame.
    public var rate: Int?
    /// JPEG quality, 1 to 100; `nil` for 80, or for the camera's JPEG as it is.
    public var quality: Int?
    /// `true` to mirror the pictures; layers on them are not mirrored.
    public var isMirrored = false
    /// The layers on the pictures.
    public var layers = Layers.none

    /// The layers on live pictures.
    public enum Layers: Sendable, Hashable {
        /// No layers.
        case none
        /// The camera's layers of `overlay`.
        case camera
        /// Outlines by name, from bottom to top.
        case outlines([String])
    }

    /// The accepted lengths of a side, rates and qualities.
    public static let lengths = 16...3840, rates = 1...60, qualities = 1...100

    /// Creates a request for pictures as the camera delivers them.
    public init() {}

    var live: LiveRequest {
        var live = LiveRequest()
        (live.width, live.height, live.quality) = (width, height, quality)
        (live.isMirrored, live.hasLayers) = (isMirrored, layers != .none)
        return live
    }
}

extension StreamRequest.Layers {
    /// Puts the outlines in the place of the camera's layers. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such outline.
    @Sendable func choose(in configuration: inout CaptureConfiguration) throws(CaptureError) {
        guard case .outlines(let names) = self else { return }
        configuration.overlay = try LayerSelection(names, of: "layers").layers
    }
}

/// A live picture.
public struct StreamPicture: Sendable {
    /// The JPEG.
    public let bytes: [UInt8]
    /// When the frame was captured.
    public let time: WallTime
    /// The fault because of which the picture was painted; `nil` for a picture of the camera.
    public let fault: CaptureError?
}
