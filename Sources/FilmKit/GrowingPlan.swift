// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Plans a film whose pictures come one by one: it is the same as that of a ``FilmPlan`` of all of them.
///
/// A picture is ready when all is known on which its frames depend: the pictures after it for the removal of flicker, and
/// the slot of the next one if missing pictures are bridged. It reads no clock and no file.
struct GrowingPlan: Sendable {
    /// A picture that can be encoded.
    struct Step: Sendable {
        /// The number of its line in the ledger.
        let line: Int
        let frame: FilmPlan.Frame
        /// The factor of its brightness.
        let gain: Double
        /// The number of slots without a picture before it.
        let missingCount: Int
    }

    /// The size of the film.
    let size: FrameSize
    /// The size of the first picture, for which the film is made.
    let usual: FrameSize
    private let settings: FilmSettings
    private let mostHold: Int
    private var waiting: [(line: Int, frame: FilmPlan.Frame, missingCount: Int)] = []
    /// The slot of the last picture.
    private var last: FilmPicture.Slot?
    private var deflicker: Deflicker?
    private var gains: [Double] = []
    /// The number of the next gains that belong to pictures of the film so far.
    private var excess = 0

    /// - Parameter usual: The size of the first picture.
    init(_ settings: FilmSettings, _ rate: Fraction, usual: FrameSize) {
        (self.settings, self.usual) = (settings, usual)
        size = FilmPlan.size(usual, settings)
        mostHold = FilmPlan.mostHold(at: rate)
        deflicker = settings.deflickers ? Deflicker() : nil
    }

    /// Continues after pictures that are in the film.
    ///
    /// - Parameters:
    ///   - slot: The slot of the last one.
    ///   - levels: The levels of the last ``Deflicker/lookahead`` of them, for ``Deflicker``.
    mutating func resume(after slot: FilmPicture.Slot?, levels: [Double?]) {
        last = slot
        guard deflicker != nil else { return }
        excess = levels.count
        for level in levels { addLevel(level) }
    }

    /// Adds the next picture.
    ///
    /// - Returns: The pictures that are ready now.
    mutating func add(_ picture: FilmPicture, line: Int) -> [Step] {
        let missingCount = last?.missingCount(before: picture.slot) ?? 0
        last = picture.slot
        if settings.gaps == .hold, let before = waiting.indices.last {
            waiting[before].frame.hold = min(mostHold, missingCount)
        }
        let geometry = FilmGeometry(
            of: picture.size, usual: usual, film: size, crop: settings.crop, fills: settings.fills)
        waiting.append((line, FilmPlan.Frame(picture: picture, geometry: geometry), missingCount))
        addLevel(picture.level)
        // The gap after the last picture is not known yet.
        return takeReady(settings.gaps == .hold ? waiting.count - 1 : waiting.count)
    }

    /// Returns the last pictures.
    mutating func finish() -> [Step] {
        if let last = deflicker?.finish() { add(last) }
        return takeReady(waiting.count)
    }

    private mutating func addLevel(_ level: Double?) {
        if let next = deflicker?.add(level) { add(next) }
    }

    private mutating func add(_ next: [Double]) {
        let known = next.dropFirst(excess)
        excess -= next.count - known.count
        gains += known
    }

    /// Returns the first pictures whose gain is known.
    private mutating func takeReady(_ most: Int) -> [Step] {
        let count = deflicker == nil ? most : min(most, gains.count)
        let steps = waiting.prefix(count).enumerated().map { place, entry in
            Step(
                line: entry.line, frame: entry.frame, gain: deflicker == nil ? 1 : gains[place],
                missingCount: entry.missingCount)
        }
        waiting.removeFirst(count)
        if deflicker != nil { gains.removeFirst(count) }
        return steps
    }
}
