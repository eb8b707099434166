// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite("A task scope", .timeLimit(.minutes(5)))
struct TaskScopeTests {
    /// Counts tasks that have ended.
    private actor Tally {
        private(set) var count = 0
        func add() { count += 1 }
    }

    @Test func `Tasks added to a scope before and during its run start, and have ended when the run returns`() async {
        let (scope, tally) = (TaskScope(), Tally())
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let job: TaskScope.Job = {
            begin.yield()
            // Ends when the task is canceled.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            await tally.add()
        }
        scope.add(job)
        async let running: Void = scope.run()
        var starts = begun.makeAsyncIterator()
        await starts.next()
        scope.add(job)
        await starts.next()
        scope.end()
        await running
        #expect(await tally.count == 2)
    }

    @Test func `A task that is added after the end of a scope does not start`() async {
        let (scope, tally) = (TaskScope(), Tally())
        scope.end()
        scope.add { await tally.add() }
        await scope.run()
        #expect(await tally.count == 0)
    }

    @Test func `The tasks of a scope end when the task that runs the scope is canceled`() async {
        let (scope, tally) = (TaskScope(), Tally())
        let (begun, begin) = AsyncStream<Void>.makeStream()
        scope.add {
            begin.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            await tally.add()
        }
        let running = Task { await scope.run() }
        for await _ in begun.prefix(1) {}
        running.cancel()
        await running.value
        #expect(await tally.count == 1)
    }
}
