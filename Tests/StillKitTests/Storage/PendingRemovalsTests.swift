// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import CaptureBase
@testable import StillKit

@Suite("Removals that are retried", .timeLimit(.minutes(5)))
struct PendingRemovalsTests {
    @Test("Pending pictures are retried in the order in which they were added", arguments: 0..<10)
    func order(seed: UInt64) {
        var random = SplitMix(seed)
        var (removals, list) = (PendingRemovals(), [Int]())
        for ordinal in 0..<1000 {
            let still = StoredStill(ordinal: ordinal, path: "\(ordinal).jpg", byteCount: 1, captured: 0)
            removals.add(Retention.Removal(still: still, reason: .count))
            list.append(ordinal)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                #expect(removals.next()?.still.ordinal == list.first)
                list = Array(list.dropFirst())
            }
        }
        while let removal = removals.next() {
            #expect(removal.still.ordinal == list.first)
            list = Array(list.dropFirst())
        }
        #expect(list.isEmpty)
    }
}
