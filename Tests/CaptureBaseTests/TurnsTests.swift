// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite("Turns of tasks")
struct TurnsTests {
    private actor Log {
        private(set) var numbers: [Int] = []

        func add(_ number: Int) { numbers.append(number) }
    }

    @Test("One task after the other has its turn")
    func alone() async {
        let (turns, log) = (Turns(), Log())
        await turns.take()
        await withTaskGroup { group in
            for number in 0..<5 {
                group.addTask {
                    await turns.take()
                    await log.add(number)
                    // Without turns, another task would come between.
                    await Task.yield()
                    await log.add(number)
                    turns.end()
                }
            }
            turns.end()
        }
        let numbers = await log.numbers
        #expect(stride(from: 0, to: 10, by: 2).allSatisfy { numbers[$0] == numbers[$0 + 1] }, "\(numbers)")
        #expect(Set(numbers) == Set(0..<5))
    }

    @Test("A turn that has ended is free for the next caller")
    func free() async {
        let turns = Turns()
        for _ in 0..<3 {
            await turns.take()
            turns.end()
        }
    }
}
