// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import StillKit

@Suite(.timeLimit(.minutes(2))) struct `The memory for decoding` {
    /// Waits until this many claims wait.
    private static func waiting(_ count: Int, for memory: DecodingMemory) async {
        while memory.load.waiting != count { await Task.yield() }
    }

    @Test func `A claim that needs more than the budget is refused`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        let error = await #expect(throws: CaptureError.self) { try await memory.claim(101) }
        #expect(error?.code == .noInput)
        #expect(memory.load.byteCount == 0)
        _ = try await memory.claim(100)
        #expect(memory.load.byteCount == 0)
        try memory.checkRoom(for: 100)
        #expect(throws: CaptureError.self) { try memory.checkRoom(for: 101) }
    }

    @Test func `The budget of a process is a part of the machine's memory`() {
        #expect((64 << 20...768 << 20).contains(DecodingMemory.shared.byteCount))
    }

    @Test func `Claims are granted in order when memory is free again, and never exceed the budget`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        var first: DecodingMemory.Claim? = try await memory.claim(80)
        let large = Task { try await memory.claim(90) }
        await Self.waiting(1, for: memory)
        // It has room, but waits for the larger one before it.
        let small = Task { try await memory.claim(10) }
        await Self.waiting(2, for: memory)
        #expect(first != nil && memory.load.byteCount == 80)
        first = nil
        let claims = [try await large.value, try await small.value]
        #expect(memory.load.byteCount == 100 && claims.count == 2)
    }

    @Test func `A canceled claim leaves the queue, and the next one is granted`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        let first = try await memory.claim(50)
        let large = Task { try await memory.claim(90) }
        await Self.waiting(1, for: memory)
        let small = Task { try await memory.claim(50) }
        await Self.waiting(2, for: memory)
        large.cancel()
        let claim = try await small.value
        #expect(memory.load.byteCount == 100 && memory.load.waiting == 0)
        let error = await #expect(throws: CaptureError.self) { _ = try await large.value }
        #expect(error?.code == .temporary)
        withExtendedLifetime((first, claim)) {}
    }

    @Test func `A claim that is canceled between its beginning and its wait is refused`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        let first = try await memory.claim(100)
        let id = memory.begin()
        memory.cancel(id)
        let result = await memory.wait(for: 1, id)
        #expect(throws: CaptureError.canceledDecoding) { try result.get() }
        #expect(memory.load.waiting == 0)
        // A task that is canceled before its claim begins is refused, too, although memory is free.
        withExtendedLifetime(first) {}
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await memory.claim(1)
        }
        let error = await #expect(throws: CaptureError.self) { _ = try await task.value }
        #expect(error == .canceledDecoding)
    }

    @Test func `Claims are refused for a time if too many wait`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        let first = try await memory.claim(100)
        let tasks = (0..<DecodingMemory.mostWaiting).map { _ in Task { try await memory.claim(1) } }
        await Self.waiting(tasks.count, for: memory)
        let error = await #expect(throws: CaptureError.self) { try await memory.claim(1) }
        #expect(error?.code == .temporary)
        for task in tasks { task.cancel() }
        for task in tasks { _ = try? await task.value }
        #expect(memory.load.waiting == 0)
        withExtendedLifetime(first) {}
    }

    @Test func `A picture of the camera has memory at once, and others wait for it`() async throws {
        let memory = DecodingMemory(byteCount: 100)
        var camera: DecodingMemory.Claim? = memory.claimAtOnce(300)
        let other = Task { try await memory.claim(10) }
        await Self.waiting(1, for: memory)
        #expect(camera != nil && memory.load.byteCount == 300)
        camera = nil
        let claim = try await other.value
        #expect(memory.load.byteCount == 10)
        withExtendedLifetime(claim) {}
    }

    @Test func `The limits of control groups count, from that of the process to the highest`() {
        let files = [
            "/sys/fs/cgroup/system.slice/capture.service/memory.max": "536870912\n",
            "/sys/fs/cgroup/system.slice/capture.service/memory.high": "max\n",
            "/sys/fs/cgroup/system.slice/memory.max": "max\n", "/sys/fs/cgroup/system.slice/memory.high": "400000000\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "300000000\n",
        ]
        let second = MachineMemory.limits(ofGroups: "0::/system.slice/capture.service\n") { files[$0] }
        #expect(Set(second) == [536_870_912, 400_000_000])
        let first = MachineMemory.limits(ofGroups: "5:cpu:/b\n4:memory:/a\n") { files[$0] }
        #expect(first.min() == 300_000_000)
        #expect(MachineMemory.limits(ofGroups: "nonsense\n::\n") { _ in nil } == [])
        #expect(MachineMemory.byteCount > 1 << 20)
    }
}
