// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CaptureTestSupport
import Glibc
import StillKit
import Synchronization
import Testing

@testable import ClipKit

extension LiveFrames {
    @Suite("Accounts of recordings", .timeLimit(.minutes(5)))
    struct ClipAccountingTests {
        /// Notes the calls, and whether the file was there.
        private final class Account: ClipAccounting {
            private let list = Mutex<[String]>([])
            /// Errors for the next plans.
            private let errors: Mutex<[CaptureError]>

            init(_ errors: [CaptureError] = []) { self.errors = Mutex(errors) }

            var calls: [String] { list.withLock { $0 } }

            private func note(_ call: String, _ path: String) {
                let state = DeviceFiles.exists(path) ? "with a file" : "without a file"
                list.withLock { $0.append("\(call) \(DeviceFiles.name(of: path)) \(state)") }
            }

            func plan(_ path: String, start: WallTime, format: ClipFormat) async throws(CaptureError) {
                note("plan", path)
                let error = errors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let error { throw error }
            }

            func complete(_ clip: Clip) async throws(CaptureError) {
                note("complete", clip.path)
                throw CaptureError(.inputOutput, "cannot be written", subject: "the list")
            }

            func fail(_ path: String, because error: CaptureError) async { note("fail", path) }
        }

        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Records for a moment, and returns the names of the events that are about files.
        private func record(_ account: Account, _ names: String = "%n.mp4") async throws -> [String] {
            let source = "videotestsrc is-live=true ! video/x-raw,width=320,height=240"
            var configuration = ClipConfiguration(
                camera: CaptureConfiguration(source: .fragment(source), output: .caller),
                names: try FileNameTemplate(parsing: folder.path + "/" + names))
            configuration.plan.length = .milliseconds(200)
            let controller = ClipController(configuration, hub: CameraHub(), rasterizer: nil, accounting: account)
            async let summary = controller.run()
            var events: [String] = []
            for await event in controller.events {
                switch event {
                case .began, .recorded, .notice, .finished: events.append(event.name)
                default: break
                }
            }
            if case .failed(let error) = await summary.ending { events.append(error.message) }
            return events
        }

        @Test("A file is planned before it exists, and is accounted for when it is complete, before the event")
        func whole() async throws {
            let account = Account()
            #expect(try await record(account) == ["began", "notice", "recorded", "finished"])
            #expect(account.calls == ["plan 1.mp4 without a file", "complete 1.mp4 with a file"])
        }

        @Test("A name that the account has is skipped, and another error ends the recording without a file")
        func refused() async throws {
            let taken = CaptureError.file(EEXIST, "1.mp4", "")
            let account = Account([taken, CaptureError(.inputOutput, "the limit is reached")])
            #expect(try await record(account) == ["finished", "the limit is reached"])
            #expect(account.calls == ["plan 1.mp4 without a file", "plan 2.mp4 without a file"])
        }

        @Test("A name with a time that a file has gets a number, and a name without fields is refused")
        func sameTime() async throws {
            let account = Account()
            let year = try #require(WallTime.now().formatted("%Y"))
            _ = try folder.write("\(year).mp4", "a")
            #expect(try await record(account, "%Y.mp4").last == "finished")
            let name = "\(year)-2.mp4"
            #expect(account.calls.suffix(2) == ["plan \(name) without a file", "complete \(name) with a file"])
            #expect(try await record(Account(), "\(year).mp4").last == "exists already")
        }

        @Test("A file that cannot be created fails after its plan")
        func notCreated() async throws {
            let account = Account()
            _ = try folder.write("file", "a")
            #expect(try await record(account, "file/%n.mp4").first == "finished")
            #expect(account.calls == ["plan 1.mp4 without a file", "fail 1.mp4 without a file"])
        }
    }
}

extension ClipEvent {
    /// The name of the event for programs.
    fileprivate var name: String {
        guard case .object(let members) = json, case .string(let name)? = members.first?.value else { return "" }
        return name
    }
}
