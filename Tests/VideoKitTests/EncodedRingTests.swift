// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import VideoKit

@Suite("EncodedRing")
struct EncodedRingTests {
    @Test("A ring keeps whole groups of pictures for its duration")
    func keepsDuration() throws {
        var ring = EncodedRing(duration: .milliseconds(250), limit: 1000)
        ring.append(try .made(0))
        #expect(ring.count == 0)
        for index in 0..<100 { ring.append(try .made(index * 10, isKey: index % 10 == 0)) }
        // The last unit is at 990 ms: the group at 700 ms is needed for 740 ms.
        #expect(ring.start == .zero + .milliseconds(700))
        #expect(ring.end == .zero + .milliseconds(990))
        #expect(ring.count == 30)
    }

    @Test("Held units are kept beyond the duration, but not beyond the bytes, until they are released")
    func holds() throws {
        var ring = EncodedRing(duration: .milliseconds(100), limit: 60)
        ring.heldSince = .zero + .milliseconds(250)
        for index in 0..<60 { ring.append(try .made(index * 10, isKey: index % 10 == 0)) }
        #expect(ring.start == .zero + .milliseconds(200))
        for index in 60..<100 { ring.append(try .made(index * 10, isKey: index % 10 == 0)) }
        #expect(ring.start == .zero + .milliseconds(400) && ring.byteCount == 60)
        ring.heldSince = nil
        ring.append(try .made(1000, isKey: true))
        #expect(ring.start == .zero + .milliseconds(900))
    }

    @Test("The units since a time begin with the key frame before it")
    func since() throws {
        var ring = EncodedRing(duration: .seconds(10), limit: 1000)
        for index in 0..<30 { ring.append(try .made(index * 10, isKey: index % 10 == 0)) }
        func first(_ time: Int) -> Int? { ring.units(since: .zero + .milliseconds(time)).first?.milliseconds }
        #expect(first(150) == 100)
        #expect(first(100) == 100)
        #expect(first(99) == 0)
        #expect(first(5000) == 200)
        var later = EncodedRing(duration: .seconds(10), limit: 1000)
        later.append(try .made(500, isKey: true))
        #expect(later.units(since: .zero).map(\.milliseconds) == [500])
    }

    @Test("A ring never exceeds its bytes, and is empty while a single group does")
    func bounded() throws {
        var ring = EncodedRing(duration: .seconds(10), limit: 25)
        for index in 0..<40 {
            ring.append(try .made(index * 10, isKey: index % 10 == 0))
            #expect(ring.byteCount <= 25)
            #expect(ring.units(since: .zero).first?.isKey == true)
        }
        ring.append(try .made(400, isKey: true, bytes: 26))
        #expect(ring.count == 0)
        ring.append(try .made(410))
        #expect(ring.count == 0)
        ring.append(try .made(420, isKey: true))
        #expect(ring.count == 1)
    }

    @Test("A ring of JPEG frames keeps exactly its duration")
    func keysOnly() throws {
        var ring = EncodedRing(duration: .milliseconds(100), limit: 1000)
        for index in 0..<50 { ring.append(try .made(index * 33, isKey: true)) }
        #expect(ring.units(since: .zero).map(\.milliseconds) == [1485, 1518, 1551, 1584, 1617])
        ring.removeAll()
        #expect(ring.start == nil && ring.byteCount == 0)
    }
}
