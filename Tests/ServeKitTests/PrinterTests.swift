// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Dispatch
import Glibc
import ServiceKit
import Synchronization
import Testing

@testable import PrintKit
@testable import ServeKit

@Suite("A printer", .timeLimit(.minutes(1)))
struct PrinterTests {
    @Test("A scheduler that does not answer ends a request in time")
    func hangs() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cups.sock"
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 8) == 0
            }
        }
        try #require(isBound)
        let printer = Printer(name: "photo", server: path, patience: 0.2)
        let error = #expect(throws: CaptureError.self) { try printer.state() }
        #expect(error?.code == .temporary && error?.subject == #"printer "photo""#)
    }

    @Test("A scheduler that is not there is an error")
    func missing() throws {
        let printer = Printer(name: "photo", server: "/nonexistent/cups.sock", patience: 0.2)
        let error = #expect(throws: CaptureError.self) { try printer.state() }
        #expect(error?.code == .temporary)
    }

    @Test("Clients that ask at the same time share one request to the scheduler")
    func shared() async throws {
        let inside = Mutex((now: 0, most: 0))
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let state = Printer.State(word: "idle", reasons: [], isAccepting: true, message: "")
        let desk = PrintDesk { _ in
            inside.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            beginning.yield()
            gate.wait()
            gate.signal()
            inside.withLock { $0.now -= 1 }
            return state
        }
        let printer = ServicePrinter(name: "photo")
        try await withThrowingTaskGroup(of: Printer.State.self) { group in
            for _ in 0..<10 { group.addTask { try await desk.state(of: printer) } }
            for await _ in begun { break }
            gate.signal()
            for try await answer in group { #expect(answer == state) }
        }
        #expect(inside.withLock { $0.most } == 1)
    }

    @Test(
        "Any number for a state is a word", arguments: [(3, "idle"), (4, "processing"), (5, "stopped"), (-1, "idle")])
    func words(state: Int32, word: String) { #expect(Printer.word(state) == word) }
}
#endif
