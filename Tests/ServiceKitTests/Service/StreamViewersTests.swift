// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import ServiceKit

@Suite("Viewers of a live stream")
struct StreamViewersTests {
    private static func time(_ milliseconds: UInt64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("A slow viewer gets the newest picture, no picture twice, and none in between")
    func newest() throws {
        let viewers = Table()
        let (slow, fast) = (try #require(viewers.join()), try #require(viewers.join()))
        #expect(viewers.next(for: slow) == nil && viewers.next(for: fast) == nil && viewers.isWanted)
        #expect(viewers.publish(1) == [slow, fast])
        #expect(viewers.next(for: fast) == 1)
        #expect(viewers.next(for: fast) == nil)
        _ = viewers.publish(2)
        #expect(viewers.next(for: fast) == 2)
        #expect(viewers.next(for: slow) == 2)
        #expect(viewers.next(for: slow) == nil)
    }

    @Test("While no viewer waits, none is encoded, and the last picture becomes too old")
    func unwanted() throws {
        let viewers = Table()
        #expect(!viewers.isWanted)
        let viewer = try #require(viewers.join())
        _ = viewers.next(for: viewer)
        _ = viewers.publish(1)
        _ = viewers.next(for: viewer)
        #expect(!viewers.isWanted)
        _ = viewers.publish(2)
        viewers.expire()
        #expect(viewers.next(for: viewer) == nil && viewers.isWanted)
    }

    @Test("A stream ends a while after its last viewer has left, unless another one joins")
    func end() throws {
        let viewers = Table()
        let first = try #require(viewers.join())
        #expect(viewers.endIfUnused(for: .seconds(2), at: Self.time(0)) == nil)
        #expect(viewers.leave(first, at: Self.time(1000)))
        #expect(viewers.endIfUnused(for: .seconds(2), at: Self.time(2500)) == .milliseconds(500))
        let second = try #require(viewers.join())
        #expect(viewers.endIfUnused(for: .seconds(2), at: Self.time(9000)) == nil)
        #expect(viewers.leave(second, at: Self.time(9000)) && !viewers.leave(second, at: Self.time(9000)))
        #expect(viewers.endIfUnused(for: .seconds(2), at: Self.time(11000)) == .zero)
        #expect(viewers.hasEnded && viewers.join() == nil)
    }
}

/// The viewers of a test, whose pictures have one byte.
private final class Table {
    private var viewers = StreamViewers()

    var isWanted: Bool { viewers.isWanted }
    var hasEnded: Bool { viewers.hasEnded }

    func join() -> Int? { viewers.join() }

    func leave(_ id: Int, at now: ClockTime) -> Bool { viewers.leave(id, at: now) }

    func expire() { viewers.expire() }

    func endIfUnused(for span: Duration, at now: ClockTime) -> Duration? { viewers.endIfUnused(for: span, at: now) }

    /// Returns the content of the picture that a viewer gets; `nil` if there is none.
    func next(for id: Int) -> UInt8? {
        if case .picture(let picture) = viewers.next(for: id) { picture.bytes.first } else { nil }
    }

    /// Returns the viewers that wait for the picture.
    func publish(_ byte: UInt8) -> Set<Int> {
        Set(viewers.publish(StreamPicture(bytes: [byte], time: .now(), fault: nil)))
    }
}
