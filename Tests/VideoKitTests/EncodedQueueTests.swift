// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import VideoKit

@Suite("EncodedQueue")
struct EncodedQueueTests {
    private func all(_ queue: inout EncodedQueue) -> [Int] {
        var times: [Int] = []
        while let unit = queue.next() { times.append(unit.milliseconds) }
        return times
    }

    @Test("A queue begins with a key frame, and counts nothing before it")
    func begins() throws {
        var queue = EncodedQueue(limit: 100)
        #expect(queue.append(try .made(0)) == .waitsForKey)
        #expect(queue.append(try .made(1, isKey: true)) == .queued)
        #expect(queue.append(try .made(2)) == .queued)
        #expect(all(&queue) == [1, 2])
        #expect(queue.skippedCount == 0)
    }

    @Test("A full queue discards units up to a key frame that it holds")
    func skipsToKey() throws {
        var queue = EncodedQueue(limit: 4)
        for time in 0..<5 { #expect(queue.append(try .made(time, isKey: time % 3 == 0)) == .queued) }
        #expect(queue.skippedCount == 3)
        #expect(all(&queue) == [3, 4])
    }

    @Test("A full queue without a later key frame discards all units until one arrives")
    func waitsForKey() throws {
        var queue = EncodedQueue(limit: 3)
        for time in 0..<3 { #expect(queue.append(try .made(time, isKey: time == 0)) == .queued) }
        #expect(queue.append(try .made(3)) == .waitsForKey)
        #expect(queue.append(try .made(4)) == .waitsForKey)
        #expect(queue.byteCount == 0)
        #expect(queue.append(try .made(5, isKey: true)) == .queued)
        #expect(queue.append(try .made(6)) == .queued)
        #expect(all(&queue) == [5, 6])
        #expect(queue.skippedCount == 5)
    }

    @Test("A key frame that is larger than the limit passes alone")
    func largeKey() throws {
        var queue = EncodedQueue(limit: 10)
        #expect(queue.append(try .made(0, isKey: true, bytes: 50)) == .queued)
        #expect(queue.next()?.milliseconds == 0)
        #expect(queue.append(try .made(1)) == .queued)
        #expect(queue.append(try .made(2, isKey: true, bytes: 50)) == .queued)
        #expect(all(&queue) == [2])
        #expect(queue.skippedCount == 1)
    }

    @Test("A queue of any history holds a decodable sequence within its limit, and loses no count")
    func anyHistory() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let limit = Int.random(in: 1...40, using: &generator)
            var queue = EncodedQueue(limit: limit)
            var (taken, begun, previous): ([Int], Int?, Int) = ([], nil, -1)
            var keys: Set<Int> = []
            for time in 0..<100 {
                let isKey = Int.random(in: 0..<6, using: &generator) == 0
                if isKey {
                    keys.insert(time)
                    begun = begun ?? time
                }
                _ = queue.append(try .made(time, isKey: isKey, bytes: .random(in: 1...9, using: &generator)))
                #expect(queue.byteCount <= max(limit, 9))
                if Bool.random(using: &generator), let unit = queue.next() { taken.append(unit.milliseconds) }
            }
            taken += all(&queue)
            for time in taken {
                #expect(time == previous + 1 || keys.contains(time))
                #expect(time > previous)
                previous = time
            }
            if let begun { #expect(taken.count + queue.skippedCount == 100 - begun) }
        }
    }
}
