// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// All that decides how the pictures of a plan look in a film, as hashes: an interrupted film is continued only after parts
/// for which they are the same.
struct FilmLook: Sendable {
    /// The pictures of the film.
    let frames: [FilmPlan.Frame]
    private let time: String?
    /// The number of later pictures on which a picture depends.
    private let lookahead: Int

    init(_ plan: FilmPlan, _ settings: FilmSettings) {
        (frames, time) = (plan.frames, settings.time)
        lookahead = settings.deflickers ? Deflicker.lookahead : 0
    }

    /// Returns the parts of a film up to the first whose pictures have changed.
    func valid(_ parts: [FilmJournal.Part]) -> [FilmJournal.Part] {
        var (valid, digest, count): ([FilmJournal.Part], String, Int) = ([], "", 0)
        for part in parts {
            guard part.pictureCount <= frames.count else { break }
            digest = self.digest(after: digest, count..<part.pictureCount)
            guard part.digest == digest else { break }
            count = part.pictureCount
            valid.append(part)
        }
        return valid
    }

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
