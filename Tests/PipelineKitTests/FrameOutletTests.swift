// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import Testing

@Suite("FrameOutlet", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct FrameOutletTests {
    /// A camera that numbers its frames.
    private func camera(_ elements: String) throws -> (pipeline: Pipeline, outlet: FrameOutlet) {
        let pipeline = try Pipeline(
            "\(elements) ! video/x-raw,format=GRAY8,width=16,height=16 ! appsink name=frames sync=false")
        return (pipeline, try FrameOutlet(named: "frames", in: pipeline))
    }

    @Test("Each branch returns the newest frame, and then nil after the end of the stream")
    func branches() async throws {
        let (pipeline, outlet) = try camera("videotestsrc num-buffers=10")
        let branches = [outlet.branch(), outlet.branch()]
        #expect(outlet.lastArrival == nil)
        try await playing(pipeline) { try await $0.end() }
        // A branch that comes after the last frame begins with it, too.
        for branch in branches + [outlet.branch()] {
            #expect(try await branch.nextSample()?.buffer?.offset == 9)
            #expect(try await branch.nextSample() == nil)
        }
        #expect(outlet.lastArrival != nil)
    }

    @Test("A bridge gets every frame in order while other readers are added and removed")
    func comingAndGoing() async throws {
        let count = 2000
        let (pipeline, outlet) = try camera("videotestsrc num-buffers=\(count)")
        let offsets = Mutex<[UInt64?]>([])
        let bridge = outlet.bridge { sample in offsets.withLock { $0.append(sample.buffer?.offset) } }
        try await playing(pipeline) { pipeline in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for round in 0..<250 {
                            let branch = outlet.branch()
                            if round.isMultiple(of: 2) { _ = try? await branch.nextSample() }
                            outlet.bridge { _ in }.close()
                            branch.close()
                        }
                    }
                }
            }
            try await pipeline.end()
        }
        bridge.close()
        #expect(offsets.withLock { $0 } == (0..<count).map { UInt64($0) as UInt64? })
    }

    @Test("Closing a branch ends the wait for its frames, and no other wait")
    func closedBranch() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=frames sync=false")
        let outlet = try FrameOutlet(named: "frames", in: pipeline)
        let (closed, other) = (outlet.branch(), outlet.branch())
        try await playing(pipeline) { pipeline in
            let (first, second) = (Task { try await closed.nextSample() }, Task { try await other.nextSample() })
            await Task.yield()
            closed.close()
            #expect(await hasEnded(first))
            outlet.close()
            #expect(await hasEnded(second))
            let late = outlet.branch()
            #expect(await hasEnded(Task { try await late.nextSample() }))
        }
    }

    @Test("An error of the pipeline reaches each branch after its last frame")
    func errors() async throws {
        let (pipeline, outlet) = try camera("videotestsrc ! identity error-after=3")
        let branches = [outlet.branch(), outlet.branch()]
        await #expect(throws: PipelineError.self) {
            try await playing(pipeline) { _ in
                for branch in branches { while try await branch.nextSample() != nil {} }
            }
        }
        for branch in branches {
            await #expect(throws: PipelineError.self) { while try await branch.nextSample() != nil {} }
        }
    }

    @Test("A stop of the pipeline, or a cancellation, ends the wait for a frame")
    func stops() async throws {
        let pipeline = try Pipeline("appsrc name=source ! appsink name=frames sync=false")
        let outlet = try FrameOutlet(named: "frames", in: pipeline)
        let branch = outlet.branch()
        let canceled = Task { try await branch.nextSample() }
        canceled.cancel()
        #expect(try await canceled.value == nil)
        try await playing(pipeline) { pipeline in
            let waiting = Task { try await branch.nextSample() }
            await Task.yield()
            try await pipeline.stop()
            #expect(await hasEnded(waiting))
        }
    }

    /// `true` if the wait for a sample ended without one, and without an error.
    private func hasEnded(_ wait: Task<Sample?, any Error>) async -> Bool {
        if case .success(nil) = await wait.result { true } else { false }
    }
}
