// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import LedgerKit
import Testing

@Suite("Counting the pictures of earlier series", .timeLimit(.minutes(5)))
struct EarlierStillsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    @Test("The search for pictures in a ledger ends in a canceled task")
    func canceled() async throws {
        let path = folder.path + "/a.ledger"
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        for start in stride(from: 0, to: 10_000, by: 1000) {
            try await ledger.append((start..<start + 1000).map { .picture($0, "\(folder.path)/\($0).jpg") })
        }
        await ledger.close(.completed)
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .caller)
        configuration.ledger = path
        configuration.limits.maxCount = 10
        let task = Task { [configuration] () -> CaptureError? in
            withUnsafeCurrentTask { $0?.cancel() }
            var configuration = configuration
            do throws(CaptureError) {
                try await Ledger.countEarlierStills(in: &configuration)
                return nil
            } catch {
                return error
            }
        }
        let error = await task.value
        #expect(
            error?.code == .temporary && error?.message.contains("canceled") == true, "\(String(describing: error))")
    }
}
