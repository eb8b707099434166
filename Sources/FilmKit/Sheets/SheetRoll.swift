// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The times of all pictures of a series or an album, from which those of a contact sheet are chosen before a file is
/// opened. It takes 16 bytes a picture.
package struct SheetRoll: Sendable {
    private var numbers: [Int] = []
    /// Nanoseconds since 1970.
    private var times: [Int64] = []
    /// The first and the last moment.
    private var (first, last): (FilmPicture.Moment?, FilmPicture.Moment?) = (nil, nil)
    /// The last slot.
    private var slot: FilmPicture.Slot?
    /// The places between slots at which pictures are missing; `nil` without slots.
    private(set) var gapCount: Int?
    private(set) var missingCount = 0

    package init() {}

    /// The number of pictures.
    package var count: Int { numbers.count }

    /// The first and the last day, or the only one.
    var days: String {
        let days = [first, last].compactMap { $0?.time.formatted("%Y-%m-%d") }
        return Set(days).count > 1 ? days.joined(separator: " to ") : days.first ?? ""
    }

    /// Adds the next picture.
    ///
    /// - Parameters:
    ///   - number: Identifies the picture.
    ///   - slot: Its slot in a series; `nil` if it has none.
    package mutating func append(_ number: Int, at time: WallTime, _ slot: FilmPicture.Slot? = nil) {
        let moment = FilmPicture.Moment(time, .capture)
        numbers.append(number)
        times.append(moment.nanoseconds)
        if first.map({ moment.nanoseconds < $0.nanoseconds }) ?? true { first = moment }
        if last.map({ moment.nanoseconds > $0.nanoseconds }) ?? true { last = moment }
        guard let slot else { return }
        let missing = self.slot?.missingCount(before: slot) ?? 0
        gapCount = (gapCount ?? 0) + (missing > 0 ? 1 : 0)
        missingCount += missing
        self.slot = slot
    }

    /// Returns the numbers of the pictures that a sheet shows, in their order: the first, the last, and others evenly by
    /// time.
    package func chosen(most: Int) -> [Int] { SheetChoice.even(times, most: most).map { numbers[$0] } }
}
