// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite("Events for many listeners", .timeLimit(.minutes(5)))
struct EventBroadcastTests {
    private func numbers(_ stream: AsyncStream<NumberedEvent<String>>) async -> [Int] {
        var numbers: [Int] = []
        for await numbered in stream {
            #expect(numbered.event == "event \(numbered.number)")
            numbers.append(numbered.number)
        }
        return numbers
    }

    private func emit(_ range: ClosedRange<Int>, _ broadcast: EventBroadcast<String>) {
        for number in range { broadcast.emit("event \(number)") }
    }

    @Test("Each listener gets every event after it began to listen")
    func listeners() async {
        let broadcast = EventBroadcast<String>()
        let early = broadcast.listen()
        emit(1...3, broadcast)
        let late = broadcast.listen()
        emit(4...5, broadcast)
        broadcast.finish()
        #expect(await numbers(early) == [1, 2, 3, 4, 5])
        #expect(await numbers(late) == [4, 5])
    }

    @Test(
        "A listener that returns gets the events that it missed, even after the end of the broadcast",
        arguments: [0, 2, 5, 9])
    func replay(number: Int) async {
        let broadcast = EventBroadcast<String>()
        emit(1...4, broadcast)
        let stream = broadcast.listen(after: number)
        emit(5...5, broadcast)
        broadcast.finish()
        // A number after the last event belongs to another broadcast: the listener gets the events from now on.
        let expected = number < 5 ? Array(number + 1...5) : [5]
        #expect(await numbers(stream) == expected)
        #expect(await numbers(broadcast.listen(after: number)) == (number < 5 ? expected : []))
    }

    @Test("A broadcast keeps the newest events only", arguments: [0, 1, 3, 10])
    func capacity(kept: Int) async {
        let broadcast = EventBroadcast<String>(keeping: kept)
        emit(1...10, broadcast)
        broadcast.finish()
        #expect(await numbers(broadcast.listen(after: 0)) == Array((1...10).suffix(kept)))
        #expect(broadcast.lastNumber == 10)
    }

    @Test("A listener that is too far behind misses the oldest events, and no other listener does")
    func slowListener() async {
        let broadcast = EventBroadcast<String>()
        let (slow, fast) = (broadcast.listen(buffering: 2), broadcast.listen())
        emit(1...100, broadcast)
        broadcast.finish()
        #expect(await numbers(slow) == [99, 100])
        #expect(await numbers(fast) == Array(1...100))
    }

    @Test("No event is emitted after the end of a broadcast")
    func end() async {
        let broadcast = EventBroadcast<String>()
        let stream = broadcast.listen()
        emit(1...1, broadcast)
        broadcast.finish()
        emit(2...2, broadcast)
        #expect(await numbers(stream) == [1])
        #expect(await numbers(broadcast.listen()).isEmpty)
        #expect(broadcast.lastNumber == 1)
    }

    @Test("Listeners on other threads get all events in order")
    func threads() async {
        let broadcast = EventBroadcast<Int>()
        let counts = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                let stream = broadcast.listen(buffering: 100_000)
                group.addTask {
                    var numbers: [Int] = []
                    for await numbered in stream { numbers.append(numbered.number) }
                    return numbers
                }
            }
            await withTaskGroup(of: Void.self) { senders in
                for _ in 0..<4 { senders.addTask { for _ in 0..<1000 { broadcast.emit(0) } } }
            }
            broadcast.finish()
            return await group.reduce(into: [[Int]]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: Array(1...4000), count: 4))
    }

    /// Canceling a task ends its stream under a lock of the task, which an event for the task takes, too.
    @Test("Listeners that are canceled while events are emitted block neither themselves nor the sender")
    func cancellation() async {
        let broadcast = EventBroadcast<String>(keeping: 0)
        let sender = Task { while !Task.isCancelled { broadcast.emit("event") } }
        await withDiscardingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<2000 {
                        let (first, inlet) = AsyncStream<Void>.makeStream()
                        let listener = Task { for await _ in broadcast.listen() { inlet.finish() } }
                        for await _ in first {}
                        listener.cancel()
                        await listener.value
                    }
                }
            }
        }
        sender.cancel()
        await sender.value
    }
}
