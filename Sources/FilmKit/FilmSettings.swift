// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import VideoKit

/// The wishes of a user for a film.
package struct FilmSettings: Sendable, Hashable {
    /// How long a picture is shown.
    package enum Pace: Sendable, Hashable {
        /// This many pictures a second.
        case rate(Fraction)
        /// As long as the film gets this length.
        case length(Duration)
    }

    /// The picture that the film shows if others are missing.
    package enum Gaps: String, Sendable, Hashable, CaseIterable {
        /// The next picture at once.
        case jump
        /// The last picture for the time of the missing ones, at most ``FilmPlan/mostHold``.
        case hold
    }

    /// The order of the pictures of a folder.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        /// By name, with numbers by their value: 9.jpg before 10.jpg.
        case name
        /// By the time of the capture.
        case time
    }

    /// The rate of a film whose user names none.
    package static let usualRate = Fraction(30, 1)

    package var pace = Pace.rate(usualRate)
    /// The size of the film in pixels, which are even; `nil` for the size of most pictures.
    package var size: FrameSize?
    /// The part of the pictures that the film shows, in pixels of the size of most pictures; `nil` for all.
    package var crop: CropRectangle?
    /// `true` to cut pictures of another shape to that of the film; otherwise they have bars.
    package var fills = false
    package var gaps = Gaps.jump
    package var order = Order.name
    /// Only pictures of this camera, as ``FilmPicture/camera`` names it; `nil` for all.
    package var camera: String?
    /// Only pictures that were captured at this time or later.
    package var since: WallTime?
    /// Only pictures that were captured before this time.
    package var until: WallTime?
    /// The format of the time that is burnt in (`strftime(3)`); `nil` for none.
    package var time: String?
    /// `true` to remove flicker.
    package var deflickers = false
    package var encoder = EncoderCatalog.Choice.automatic
    /// The quality of x264, 0 to 51, less is better; `nil` for the usual one.
    package var quality: Int?
    /// Bits per second; `nil` for a rate by the size.
    package var bitRate: Int?

    /// Creates the usual settings.
    package init() {}

    /// Returns the encoder of this name, or `auto`.
    ///
    /// - Throws: ``CaptureError`` `.usage` if there is no such encoder.
    package static func encoder(named name: String) throws(CaptureError) -> EncoderCatalog.Choice {
        guard name != H264Encoder.camera.name else {
            throw CaptureError(.usage, "pictures have no camera that encodes them", advice: "choose auto")
        }
        return try EncoderCatalog.Choice(name)
    }
}

/// A size in pixels.
package struct FrameSize: Sendable, Hashable {
    package var width: Int
    package var height: Int

    /// The largest size of a film: that of H.264's level 5.1.
    package static let most = FrameSize(width: 4096, height: 2304)

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The number of pixels.
    package var area: Int { width * height }

    /// Returns the size within the limits of films, with even numbers. A larger one keeps its proportions.
    package var ofFilm: FrameSize {
        let most = width >= height ? Self.most : Self.most.turned
        let scale = min(1, Double(most.width) / Double(max(1, width)), Double(most.height) / Double(max(1, height)))
        func even(_ length: Int) -> Int { max(2, Int(Double(length) * scale) / 2 * 2) }
        return FrameSize(width: even(width), height: even(height))
    }

    /// The size with width and height exchanged.
    package var turned: FrameSize { FrameSize(width: height, height: width) }
}

extension FrameSize: CustomStringConvertible {
    package var description: String { "\(width)x\(height)" }
}
