// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import DatabaseKit
import StillKit
import Synchronization
import Testing

@testable import ClipStore

@Suite("Limits of clips that an outbox sends")
struct SentClipTests {
    private let clips: TestClips
    private let sent = TestSentClips()

    init() throws { clips = try TestClips() }

    private static func limits(
        _ policy: LimitPolicy = .prune, count: Int? = nil, keepsUnsent: Bool = false, ageSent: Duration? = nil,
        age: Duration? = nil
    ) -> StorageLimits {
        var limits = StorageLimits()
        (limits.policy, limits.maxCount, limits.maxAge) = (policy, count, age)
        (limits.keepsUnsent, limits.maxAgeSent) = (keepsUnsent, ageSent)
        return limits
    }

    @Test("Sent clips are removed before older ones that are not sent")
    func sentFirst() async throws {
        let folder = try await clips.open(Self.limits(count: 3), sent: sent)
        for number in 1...3 { try await clips.complete(number, in: folder) }
        sent.set([2...2])
        try await clips.complete(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3, 1])
        #expect(clips.reports.words == ["2 removed"])
    }

    @Test("Without a sent clip, the oldest one goes, and a notice names it")
    func unsent() async throws {
        let folder = try await clips.open(Self.limits(count: 2), sent: sent)
        for number in 1...3 { try await clips.complete(number, in: folder) }
        #expect(try await clips.ids(folder) == [3, 2])
        #expect(clips.reports.words == ["1 removed", "unsent-removed"])
    }

    @Test("With keep-unsent, a limit refuses the next clip until one is sent")
    func keepUnsent() async throws {
        let folder = try await clips.open(Self.limits(count: 2, keepsUnsent: true), sent: sent)
        for number in 1...2 { try await clips.complete(number, in: folder) }
        let error = await #expect(throws: CaptureError.self) { try await clips.begin(3, in: folder) }
        #expect(error?.subject == "max-count" && error?.message.contains("not sent") == true)
        #expect(try await clips.ids(folder) == [2, 1] && clips.reports.words.isEmpty)
        sent.set([2...2])
        try await clips.complete(3, in: folder)
        #expect(try await clips.ids(folder) == [3, 1])
    }

    @Test("With keep-unsent, age removes only sent clips, and refuses nothing")
    func keepUnsentByAge() async throws {
        let folder = try await clips.open(Self.limits(keepsUnsent: true, age: .seconds(60)), sent: sent)
        for number in 1...3 { try await clips.complete(number, in: folder, at: .test(-100)) }
        sent.set([2...2])
        try await clips.complete(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3, 1])
    }

    @Test("Without an outbox that can be read, keep-unsent keeps all, and a notice says why")
    func fault() async throws {
        let folder = try await clips.open(Self.limits(count: 1, keepsUnsent: true), sent: sent)
        try await clips.complete(1, in: folder)
        sent.fail(CaptureError(.noInput, "is missing", subject: "/outbox.db"))
        for _ in 1...2 {
            await #expect(throws: CaptureError.self) { try await clips.begin(2, in: folder) }
        }
        #expect(clips.reports.words == ["outbox-unreadable"] && clips.exists(1))
    }

    @Test("A sent clip is found in as many steps behind 100,000 clips that are not sent as behind 1,000")
    func growth() async throws {
        StatementLog.install()
        var steps: [Int] = []
        for count in [1000, 100_000] {
            let clips = try TestClips()
            let list = try clips.account().path
            try Database(list, .write).run(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
                INSERT INTO clips(path, start_ns, start_zone, state, bytes, width, height)
                SELECT n || '.mp4', n, 0, 'complete', 10, 320, 240 FROM numbers
                """)
            sent.set([count - 1...count - 1])
            let folder = try await clips.open(Self.limits(count: count, keepsUnsent: true), sent: sent)
            let statements = try await StatementLog.statements(on: list) {
                try await clips.begin(count + 1, in: folder)
            }
            #expect(try await folder.clip(count - 1)?.state == .removed)
            #expect(statements.scannedRows < 20, "\(statements)")
            steps.append(statements.steps)
        }
        #expect(steps[1] < steps[0] + steps[0] / 10, "\(steps)")
    }

    @Test("Sent clips beyond max-age-sent go under every policy", arguments: [LimitPolicy.stop, .prune])
    func ageSent(_ policy: LimitPolicy) async throws {
        let folder = try await clips.open(Self.limits(policy, ageSent: .seconds(60)), sent: sent)
        try await clips.complete(1, in: folder, at: .test(-100))
        try await clips.complete(2, in: folder, at: .test(-90))
        try await clips.complete(3, in: folder, at: .test(-10))
        sent.set([2...3])
        try await clips.begin(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3, 1])
        #expect(clips.reports.words == ["2 removed"])
    }
}

/// The clips that an outbox has sent in a test.
private final class TestSentClips: SentPictures {
    private let state = Mutex<(lines: [ClosedRange<Int>], fault: CaptureError?)>(([], nil))

    func set(_ lines: [ClosedRange<Int>]) { state.withLock { $0.lines = lines } }
    func fail(_ error: CaptureError) { state.withLock { $0.fault = error } }

    func refresh() -> Int { 0 }
    func lines(from line: Int) -> ClosedRange<Int>? {
        state.withLock { $0.lines.first { $0.upperBound >= line } }
    }
    var fault: CaptureError? { state.withLock { $0.fault } }
}
