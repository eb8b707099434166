// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import FilmKit

@Suite("The pictures from which those of a contact sheet are chosen")
struct SheetRollTests {
    private func roll(_ slots: [Int?], run: Int = 1) -> SheetRoll {
        var roll = SheetRoll()
        for (number, slot) in slots.enumerated() {
            let slot = slot.map { FilmPicture.Slot(series: run, index: $0) }
            roll.append(number + 100, at: .film(Int64(number) * 60), slot)
        }
        return roll
    }

    @Test func `The first, the last and others evenly are chosen, by their numbers`() {
        let roll = roll(Array(0..<101))
        #expect(roll.chosen(most: 3) == [100, 150, 200] && roll.chosen(most: 1) == [100])
        #expect(roll.chosen(most: 400) == Array(100...200) && SheetRoll().chosen(most: 3).isEmpty)
    }

    @Test func `Gaps are between slots of a series, and unknown without slots`() {
        let found = roll([0, 1, 4, 5, nil, 7, 7])
        #expect(found.gapCount == 2 && found.missingCount == 3 && found.count == 7)
        #expect(roll([nil, nil]).gapCount == nil && roll([3]).gapCount == 0)
        var other = roll([5])
        other.append(1, at: .film(0), FilmPicture.Slot(series: 2, index: 9))
        #expect(other.gapCount == 0)
    }

    @Test func `The days are those of the first and the last moment, also if a clock was set back`() {
        var roll = SheetRoll()
        #expect(roll.days.isEmpty)
        for seconds in [86400, 0, 2 * 86400] as [Int64] { roll.append(1, at: .film(seconds)) }
        let days = [Int64(0), 2 * 86400].compactMap { WallTime.film($0).formatted("%Y-%m-%d") }
        #expect(roll.days == days.joined(separator: " to "))
    }
}
