// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import SystemBase

/// The live movie of one viewer: an initialization segment, and then a fragment for each picture, which nothing holds
/// back.
///
/// Time 0 is the capture of the first picture, and later times are those of the capture: pictures that the viewer was too
/// slow for leave a gap.
package struct LiveMovie: Sendable {
    private let video: FragmentWriter.Video
    private var writer: FragmentWriter
    /// The last caps with the format of the movie: most pictures have them.
    private var accepted: Caps
    private var start: ClockTime?
    private var last: UInt64 = 0
    /// The duration of the next picture, as that of the one before it: the true one is known with the next picture only.
    private var duration: UInt32 = FragmentWriter.videoTimescale / 30

    /// The longest duration that a picture gets: it lasts until the next one anyway.
    private static let longest = FragmentWriter.videoTimescale

    /// Begins a movie.
    ///
    /// - Parameter caps: The format of its pictures.
    /// - Throws: `CaptureError` `.inputOutput` if they do not fit into a movie.
    package init(_ caps: Caps) throws(CaptureError) {
        video = try FragmentWriter.Video(caps)
        writer = try FragmentWriter(video: video)
        accepted = caps
    }

    /// The segment with which the movie begins.
    package var initialization: [UInt8] { writer.initialization }

    /// The media type with the codec (RFC 6381): `video/mp4; codecs="avc1.42C01F"`.
    package var mediaType: String { "video/mp4; codecs=\"\(video.codec)\"" }

    /// Returns the fragment of a picture; `nil` if its format is another one, which the movie cannot have.
    ///
    /// - Throws: `CaptureError` if its bytes cannot be read, or do not fit into a fragment.
    package mutating func fragment(_ unit: EncodedUnit) throws(CaptureError) -> [UInt8]? {
        guard let caps = unit.sample.caps else { return nil }
        if caps != accepted {
            guard (try? FragmentWriter.Video(caps)) == video else { return nil }
            accepted = caps
        }
        let bytes: [UInt8]
        do {
            bytes = try unit.sample.buffer?.bytes() ?? []
        } catch {
            throw CaptureError(.inputOutput, "a picture cannot be read: \(error)", subject: "the encoder")
        }
        let time = time(of: unit)
        return try writer.fragment(.init(.video, bytes, decodeTime: time, duration: duration, isKey: unit.isKey))
    }

    /// Returns the decode time of a picture, and adapts the duration. Times advance.
    private mutating func time(of unit: EncodedUnit) -> UInt64 {
        guard let start else {
            start = unit.time
            return 0
        }
        let ticks = Timescale.ticks(Int((unit.time - start).nanoseconds), in: FragmentWriter.videoTimescale)
        let time = max(UInt64(max(0, ticks)), last + 1)
        duration = UInt32(clamping: min(UInt64(Self.longest), time - last))
        last = time
        return time
    }
}

extension FragmentWriter.Video {
    /// The codec with profile, constraints and level (RFC 6381, 3.3): `avc1.42C01F`.
    var codec: String {
        let digits = configuration.dropFirst().prefix(3).map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.utf8.count < 2 ? "0" + text : text
        }
        return "avc1." + digits.joined()
    }
}
