// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("Pictures in the events for the caller", .timeLimit(.minutes(5)))
struct CaptureEventsTests {
    private static let source = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=100/1"

    /// A capture of five pictures, of which memory keeps one.
    private static func controller() -> CaptureController {
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        (configuration.settle, configuration.burst, configuration.heldBytes) = (.off, 5, 0)
        // A machine that stands still does not end the capture.
        configuration.stallLimit = .seconds(300)
        return CaptureController(configuration)
    }

    @Test("While no task iterates the events, memory keeps the newest pictures, and all events")
    func unread() async {
        let controller = Self.controller()
        _ = await controller.run()
        var hasBytes: [Bool] = []
        for await case .captured(let still) in controller.events { hasBytes.append(still.bytes != nil) }
        #expect(hasBytes == [false, false, false, false, true])
    }

    @Test("A task that iterates the events gets all pictures, although it is far behind")
    func read() async {
        let controller = Self.controller()
        var events = controller.events.makeAsyncIterator()
        _ = await controller.run()
        var sizes: [Int] = []
        while let event = await events.next() {
            guard case .captured(let still) = event else { continue }
            #expect(still.bytes?.count == still.byteCount)
            sizes.append(still.byteCount)
        }
        #expect(sizes.count == 5)
    }

    @Test(
        "A later listener gets all kept events, even if the sequence of events has dropped some",
        arguments: [CameraHub(), nil])
    func laterListener(hub: CameraHub?) async {
        var configuration = CaptureConfiguration(source: .fragment(Self.source), output: .standardOutput)
        configuration.schedule = .onRequest()
        let controller = CaptureController(configuration, hub: hub)
        // Every second request cancels the self-timer, which is an event.
        for _ in 0..<10_000 { await controller.trigger(after: .seconds(3600)) }
        var numbers: [Int] = []
        for await event in controller.listen(after: 0) {
            numbers.append(event.number)
            if event.number == 5000 { break }
        }
        #expect(numbers == Array(1...5000))
    }

    private static func emit(_ range: Range<Int>, _ broadcast: EventBroadcast<CaptureEvent>) {
        for index in range {
            let still = Still(
                slot: Slot(index: index, due: .zero), burstIndex: 0, path: nil, sequence: index, byteCount: 100,
                width: 1, height: 1, captured: .now(), offset: .zero, isLate: false, encodingTime: .zero,
                storingTime: .zero, bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 100))
            broadcast.emit(.captured(still))
        }
    }

    private static func stills(_ events: CaptureEvents) async -> [Still] {
        var stills: [Still] = []
        for await case .captured(let still) in events { stills.append(still) }
        return stills
    }

    @Test("After a task has left the loop over the events, the memory for pictures is bounded again")
    func left() async {
        let broadcast = EventBroadcast<CaptureEvent>(keeping: 0)
        let events = CaptureEvents(broadcast, heldBytes: 250)
        Self.emit(0..<4, broadcast)
        for await _ in events { break }
        Self.emit(4..<6, broadcast)
        broadcast.finish()
        let stills = await Self.stills(events)
        #expect(stills.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(stills.map { $0.bytes?.first } == [nil, nil, nil, 4, 5])
    }

    @Test("Pictures are dropped with the events that the buffer drops, and all others are kept")
    func dropped() async {
        let broadcast = EventBroadcast<CaptureEvent>(keeping: 0)
        let events = CaptureEvents(broadcast, heldBytes: 250)
        var iterator = events.makeAsyncIterator()
        Self.emit(0..<5000, broadcast)
        broadcast.finish()
        guard case .captured(let first) = await iterator.next() else { return #expect(Bool(false), "no event") }
        #expect(first.sequence == 5000 - 4096 && first.bytes != nil)
        let stills = await Self.stills(events)
        #expect(stills.count == 4095 && stills.allSatisfy { $0.bytes?.count == 100 })
        let last = await iterator.next()
        #expect(last == nil)
    }
}
