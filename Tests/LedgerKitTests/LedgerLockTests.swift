// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import ProgramTestSupport
import Testing

@testable import LedgerKit

@Suite(.ownThread, .timeLimit(.minutes(1)))
struct `The lock of a ledger` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var ledger: String { folder.path + "/a.ledger" }
    private var lock: String { ledger + "-lock" }
    private var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) } }

    /// Starts a process that locks the file as a series does, and waits until it has.
    private func holder() throws -> ChildProgram {
        let ready = Pipe()
        let holder = try ChildProgram(
            ["flock", "--no-fork", lock, "sh", "-c", #"echo $$ >"$0"; echo ready; exec sleep 600"#, lock],
            output: .pipe(ready))
        try #require(ready.fileHandleForReading.availableData == Data("ready\n".utf8))
        return holder
    }

    /// The descriptors of this process that have the file of the lock open.
    private var descriptors: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == lock
            }
        }
    }

    // `make test-release` runs it in a release build, too: Swift 6.2 may compile the failing path wrongly.
    @Test func `A lock that another process has is refused with its process ID, and nothing is left`() throws {
        let holder = try holder()
        defer { holder.send(SIGKILL) }
        for _ in 0..<1000 {
            #expect(throws: CaptureError.ledgerInUse(ledger, by: holder.identifier)) {
                _ = try LedgerLock(of: ledger)
            }
        }
        #expect(try files == ["a.ledger-lock"])
        #expect(try String(contentsOfFile: lock, encoding: .utf8) == "\(holder.identifier)\n")
        #expect(try descriptors == [])
    }

    @Test func `A lock can be acquired after its process was killed, and its file goes with it`() throws {
        let holder = try holder()
        holder.send(SIGKILL)
        holder.wait()
        do {
            let own = try LedgerLock(of: ledger)
            let isInPlace = own.isInPlace
            #expect(isInPlace)
            #expect(try String(contentsOfFile: lock, encoding: .utf8) == "\(getpid())\n")
        }
        #expect(try files == [])
    }
}
