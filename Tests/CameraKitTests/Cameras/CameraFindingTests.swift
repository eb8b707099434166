// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CameraKit

@Suite("The search for a camera that sleeps, is busy or hangs", .timeLimit(.minutes(5)))
struct CameraFindingTests {
    private static let busy = CaptureError(.temporary, "is busy")

    /// The answers of a camera's node, one for each time that it is opened.
    private final class Answers: Sendable {
        private let left: Mutex<[CaptureError?]>
        init(_ answers: [CaptureError?]) { left = Mutex(answers) }

        var count: Int { left.withLock { $0.count } }

        func next() throws(CaptureError) -> NodeReport? {
            if let error = left.withLock({ $0.removeFirst() }) { throw error }
            return .camera("Front", busInfo: "usb:front")
        }
    }

    private func find(_ answers: Answers) async throws -> Camera {
        let fake = try FakeTree()
        try fake.add(0, title: "Front")
        let catalog = CameraCatalog(tree: fake.tree) { _ throws(CaptureError) in try answers.next() }
        return try await catalog.find("0", clock: HastyClock(longest: .seconds(2)))
    }

    @Test func `A camera that is busy, then missing, is found when it appears again`() async throws {
        let answers = Answers([Self.busy, CaptureError(.noCamera, "its camera is not connected"), nil])
        #expect(try await find(answers).name == "Front")
    }

    @Test func `A camera that stays busy is reported after four attempts`() async {
        let answers = Answers([
            Self.busy, Self.busy, CaptureError(.noCamera, "there is no such device"), Self.busy, nil,
        ])
        let error = await #expect(throws: CaptureError.self) { try await find(answers) }
        #expect(error?.message == Self.busy.message)
        #expect(answers.count == 1)
    }

    @Test func `A search that is canceled ends with the error of the attempt in progress`() async {
        let answers = Answers([Self.busy, nil])
        let search = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await find(answers)
        }
        let error = await #expect(throws: CaptureError.self) { try await search.value }
        #expect(error?.message == Self.busy.message)
        #expect(answers.count == 1)
    }

    @Test(arguments: [CaptureError.Code.noCamera, .permission, .inputOutput])
    func `A search for a camera that was not busy makes one attempt`(code: CaptureError.Code) async {
        let answers = Answers([CaptureError(code, "no"), nil])
        let error = await #expect(throws: CaptureError.self) { try await find(answers) }
        #expect(error?.code == code)
        #expect(answers.count == 1)
    }

    @Test func `A driver that does not return from opening is reported with a remedy`() async throws {
        let fake = try FakeTree()
        try fake.add(0, title: "Front")
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        let catalog = CameraCatalog(tree: fake.tree) { _ in
            end.wait()
            return nil
        }
        let error = await #expect(throws: CaptureError.self) {
            try await catalog.find("0", clock: HastyClock(longest: .seconds(10)))
        }
        #expect(error?.code == .noCamera && error?.subject == "0")
        #expect(error?.message.contains("does not answer") == true)
        #expect(error?.advice?.contains("reconnect it") == true)
    }
}

/// A clock on which pauses up to a limit take no time, and longer ones never end.
private struct HastyClock: Clock {
    let longest: Duration
    let now = SuspendingClock().now
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        guard now.duration(to: deadline) > longest else { return }
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw CancellationError()
    }
}
