// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Synchronization
import SystemBase
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls that block` {
    @Test func `A single call that blocks leaves Swift's threads to other tasks`() async {
        await blockTogether { wait in await BlockingWork.run(wait) }
    }

    @Test func `An actor that blocks leaves Swift's threads to other tasks`() async {
        await blockTogether { wait in await BlockingActor().run(wait) }
    }

    /// Blocks as many tasks as Swift's pool has threads, and releases them when all of them block. If they blocked the
    /// pool's threads, this task would never run again.
    private func blockTogether(_ block: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void) async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await block {
                        start.yield()
                        gate.wait()
                    }
                }
            }
            var iterator = starts.makeAsyncIterator()
            for _ in 0..<count { await iterator.next() }
            for _ in 0..<count { gate.signal() }
        }
    }

    @Test func `A single call returns its result, and throws its error`() async {
        #expect(await BlockingWork.run { 7 } == 7)
        await #expect(throws: Fault.broken) { try await BlockingWork.run { () throws(Fault) in throw .broken } }
    }

    @Test func `A call that began is awaited even if its task is canceled`() async {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            await BlockingWork.run {
                start.yield()
                gate.wait()
                return 7
            }
        }
        var iterator = starts.makeAsyncIterator()
        await iterator.next()
        task.cancel()
        gate.signal()
        #expect(await task.value == 7)
    }

    @Test func `An actor on the executor runs one job at a time`() async {
        let actor = BlockingActor()
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { await actor.enter() } }
        }
        #expect(await actor.entries == 200)
        #expect(actor.mostAtOnce == 1)
    }

    @Test func `Only the first resumption of a continuation has an effect, also from several threads`() async {
        for _ in 0..<100 {
            let winners = Mutex<[Int]>([])
            let result = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
                let once = SingleResumption(continuation)
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    once.resume(index)
                    winners.withLock { $0.append(index) }
                }
            }
            #expect(winners.withLock { $0.sorted() } == [0, 1, 2, 3])
            #expect((0..<4).contains(result))
        }
        let first = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            let once = SingleResumption(continuation)
            for number in 0..<3 { once.resume(number) }
        }
        #expect(first == 0)
    }
}

private enum Fault: Error { case broken }

private actor BlockingActor {
    private let executor = BlockingExecutor("gst-capture.test")
    private let inside = Atomic<Int>(0)
    private let most = Atomic<Int>(0)
    private(set) var entries = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The most jobs that ran at the same time.
    nonisolated var mostAtOnce: Int { most.load(ordering: .relaxed) }

    func run(_ body: () -> Void) { body() }

    func enter() {
        most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        entries += 1
        sched_yield()
        inside.subtract(1, ordering: .relaxed)
    }
}
