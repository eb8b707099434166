// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import FilmKit

@Suite("The order of names")
struct NaturalOrderTests {
    @Test func `Numbers count by their value, in folders too`() {
        let names = [
            "1/2.jpg", "1/10.jpg", "2/1.jpg", "a.jpg", "a1.jpg", "a01.jpg", "a2b3.jpg", "a2b20.jpg", "a10.jpg",
            "a99999999999999999999998.jpg", "a99999999999999999999999.jpg", "b.jpg", "ä.jpg",
        ]
        var generator = SplitMix(1)
        let sorted = names.shuffled(using: &generator).sorted(by: NaturalOrder.precedes)
        let expected = names.map { $0 == "a1.jpg" ? "a01.jpg" : $0 == "a01.jpg" ? "a1.jpg" : $0 }
        #expect(sorted == expected)
    }

    @Test func `The order is total: of two different names, one comes first, and it is transitive`() {
        var generator = SplitMix(2)
        let names = (0..<60).map { _ in
            String(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in "0019ab./é".randomElement(using: &generator)!
                })
        }
        for left in names {
            #expect(!NaturalOrder.precedes(left, left))
            for right in names where left != right {
                #expect(NaturalOrder.precedes(left, right) != NaturalOrder.precedes(right, left), "\(left) \(right)")
                for third in names where NaturalOrder.precedes(left, right) && NaturalOrder.precedes(right, third) {
                    #expect(NaturalOrder.precedes(left, third), "\(left) \(right) \(third)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("frame0012.jpg", "frame", 12, ".jpg"), ("2026-11-21/7.jpg", "2026-11-21/", 7, ".jpg"),
            ("IMG_3 (2).jpeg", "IMG_3 (", 2, ").jpeg"), ("5", "", 5, ""),
        ] as [(String, String, Int, String)])
    func `The last number of a name is not in its extension`(name: String, head: String, number: Int, tail: String) {
        let found = NaturalOrder.lastNumber(in: name)
        #expect(found?.head == head && found?.number == number && found?.tail == tail)
    }

    @Test(arguments: ["", "a.jpg", "clip.mp4", "1234567890123456789.jpg", "é.7"])
    func `A name without a number that can be counted has none`(name: String) {
        #expect(NaturalOrder.lastNumber(in: name) == nil)
    }
}
