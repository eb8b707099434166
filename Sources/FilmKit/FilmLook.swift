// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase
import VideoKit

/// All that decides how a film looks, as hashes: an interrupted film is continued only if they are the same.
struct FilmLook: Sendable {
    /// A hash of the settings and of the program.
    let settings: String
    private let frames: [FilmPlan.Frame]
    private let time: String?
    /// The number of later pictures on which a picture depends.
    private let lookahead: Int

    init(_ plan: FilmPlan, _ settings: FilmSettings, _ encoder: H264Encoder, _ offline: OfflineSettings) {
        (frames, time) = (plan.frames, settings.time)
        lookahead = settings.deflickers ? Deflicker.lookahead : 0
        let words = [
            Version.current, plan.size.description, plan.rate.description, encoder.name, "\(offline.target)",
            "\(offline.keyInterval)", "\(offline.threads)", settings.time ?? "", "\(settings.deflickers)",
        ]
        self.settings = SHA256.digits(of: Array(words.joined(separator: "\0").utf8))
    }

    /// The number of pictures.
    var pictureCount: Int { frames.count }

    /// Returns a hash of the pictures of a part, and of all before it.
    ///
    /// - Parameter digest: The hash of the part before; empty for the first.
    func digest(after digest: String, _ pictures: Range<Int>) -> String {
        var text = digest
        for frame in frames[pictures] { text += identity(of: frame) }
        guard lookahead > 0 else { return SHA256.digits(of: Array(text.utf8)) }
        let end = min(frames.count, pictures.upperBound + lookahead)
        for frame in frames[pictures.upperBound..<end] { text += identity(of: frame) }
        // The last pictures have no neighbors: the end matters.
        return SHA256.digits(of: Array((text + (end == frames.count ? "end" : "")).utf8))
    }

    private func identity(of frame: FilmPlan.Frame) -> String {
        let picture = frame.picture
        var words = [picture.name, "\(picture.byteCount)", "\(picture.modified)", "\(frame.hold)", "\(frame.geometry)"]
        if lookahead > 0 { words.append(picture.brightness.map { "\($0)" } ?? "") }
        if time != nil { words.append(picture.moment.time.iso8601) }
        return words.joined(separator: "\0") + "\n"
    }
}
