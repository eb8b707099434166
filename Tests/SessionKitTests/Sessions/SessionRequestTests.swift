// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite("Requests of users and programs to a session", .timeLimit(.minutes(5)))
struct SessionRequestTests {
    @Test("A request is read with its members")
    func read() throws {
        #expect(try SessionRequest(line: #"{"do": "capture"}"#).action == .capture)
        let bring = try SessionRequest(line: #"{"do": "bring", "file": "/a b.jpg", "id": 7}"#)
        #expect(bring.action == .bring("/a b.jpg") && bring.id == "7")
        let retake = try SessionRequest(line: #"{"do": "retake", "stage": "one", "picture": 3, "later": [1]}"#)
        #expect(retake.action == .retake(stage: "one", picture: 3))
        let fill = try SessionRequest(line: #"{"do": "fill", "fields": {"name": "Ada", "size": 3}}"#)
        #expect(fill.action == .fill(["name": "Ada", "size": "3"]))
        for name in SessionRequest.names where !["retake", "fill"].contains(name) {
            #expect(try SessionRequest(line: #"{"do": "\#(name)"}"#).name == name)
        }
    }

    @Test("Escaped surrogates are decoded, and the text null is not a missing value")
    func escapes() throws {
        let line = #"{"do": "bring", "file": "/\ud83d\uDE00 \\ud83d\\ude00.jpg", "id": "null"}"#
        let request = try SessionRequest(line: line)
        #expect(request.action == .bring(#"/\#u{1F600} \ud83d\ude00.jpg"#) && request.id == "null")
        #expect(try SessionRequest(line: #"{"do": "bring", "file": null}"#).action == .bring(nil))
        for file in [#"\ud83d"#, #"\ud83d\u0041"#, #"\ude00\ud83d"#, #"\ud83d\\ude00"#] {
            #expect(throws: CaptureError.self) { try SessionRequest(line: #"{"do": "bring", "file": "\#(file)"}"#) }
        }
    }

    @Test(
        "A malformed request is refused with an error of one line",
        arguments: [
            "", "capture", "[]", "{}", #"{"do": "dance"}"#, #"{"do": "retake"}"#, #"{"do": "retake", "picture": "x"}"#,
            #"{"do": "fill"}"#, #"{"do": "fill", "fields": [1]}"#, #"{"do": "fill", "fields": {"a": null}}"#,
            #"{"do": ["capture"]}"#, "{", String(repeating: "[", count: 9000), String(repeating: "x", count: 20_000),
        ])
    func malformed(line: String) {
        let error = #expect(throws: CaptureError.self) { try SessionRequest(line: line) }
        #expect(error?.code == .usage && error?.description.contains("\n") == false)
    }

    @Test("A request is performed, or refused with a reason")
    func answers() async throws {
        let answers = Mutex<[SessionController.Answer]>([])
        _ = await SessionAccount.of(.quick("one")) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            if phase.name == .ready {
                for action in [SessionRequest.Action.accept, .retake(stage: "nosuch", picture: nil), .capture] {
                    let answer = await controller.perform(action)
                    answers.withLock { $0.append(answer) }
                }
            }
            if phase.name == .review { _ = await controller.perform(.accept) }
        }
        let reasons = answers.withLock { answers in
            answers.map { answer in if case .refused(let reason, _) = answer { reason } else { "done" } }
        }
        #expect(reasons == ["not-in-review", "not-in-review", "done"])
    }

    @Test("Each listener gets all events with their numbers, and a slow listener loses only its own")
    func listeners() async {
        let controller = SessionAccount.controller(.quick("one"))
        let (fast, slow) = (controller.listen(), controller.listen(buffering: 3))
        async let outcome = controller.run()
        var numbers: [Int] = []
        for await event in fast { numbers.append(event.number) }
        _ = await outcome
        var late: [Int] = []
        for await event in slow { late.append(event.number) }
        #expect(numbers == Array(1...numbers.count))
        #expect(late == Array(numbers.suffix(3)))
        var none = 0
        for await _ in controller.listen() { none += 1 }
        #expect(none == 0, "a session that is over has no events to come")
    }

    @Test("A snapshot has the phase, the folder and the pictures")
    func snapshot() async throws {
        let folder = try TemporaryFolder()
        let snapshots = Mutex<[SessionSnapshot]>([])
        let account = await SessionAccount.of(.quick("one", "two"), .folder(in: folder.path)) { _ in
        } onEvent: { event, controller in
            if case .captured(let still, let place) = event, still.number == 1 {
                #expect(place.map { FileManager.default.fileExists(atPath: $0 + "/" + still.file.name) } == true)
                let snapshot = await controller.snapshot()
                snapshots.withLock { $0.append(snapshot) }
            }
        }
        let snapshot = try #require(snapshots.withLock { $0.first })
        #expect(snapshot.folder == account.outcome.folder && snapshot.pictures.first?.number == 1)
        #expect(snapshot.role == .front && snapshot.lastEvent > 0 && snapshot.progress.session == "quick")
    }

    @Test("A picture that a retake replaces is reported as removed")
    func removed() async throws {
        let folder = try TemporaryFolder()
        let account = await SessionAccount.reviewed(.quick("one"), in: folder.path) { number, controller in
            if number == 1 { await controller.retake(stage: 0) } else { await controller.accept() }
        }
        let removed = account.events.compactMap { event -> [String]? in
            if case .removed(let numbers, let files) = event { numbers.map(String.init) + files } else { nil }
        }
        let first = try #require(account.reviews.first?.first)
        #expect(removed == [["\(first)", "one-00\(first).jpg"]])
    }

    @Test("An abort has its reason as a code and as a message")
    func aborted() async {
        var session = SessionDescription.quick("one", countdown: .seconds(60))
        session.abort = .cancel
        let account = await SessionAccount.of(session) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            if phase.name == .ready { await controller.trigger() }
            if phase.name == .counting { await controller.abort() }
        }
        let aborts = account.events.compactMap { if case .aborted(_, let abort, _) = $0 { abort } else { nil } }
        #expect(
            aborts.map(\.code) == [.requested] && aborts.first?.gate == nil && aborts.first?.message.isEmpty == false)
    }

    @Test("The key that deletes pictures deletes none at its first press")
    func confirmation() async throws {
        let folder = try TemporaryFolder()
        let account = await SessionAccount.reviewed(.quick("one"), in: folder.path) { _, controller in
            await controller.cancelAfterConfirmation()
            // Another request withdraws the prompt.
            await controller.lookCloser(at: 0)
            await controller.cancelAfterConfirmation()
            await controller.discardTwice()
        }
        let prompts = account.events.count { if case .confirmation = $0 { true } else { false } }
        #expect(prompts == 3 && account.outcome.ending == .cancelled)
    }

    @Test("Each key that changes the view withdraws the prompt for the key that deletes pictures")
    func withdrawal() async throws {
        let folder = try TemporaryFolder()
        var session = SessionDescription.quick("one")
        session.nextStages = .trigger
        // A page of the review has 24 tiles.
        for number in 2...25 {
            session.stages.append(SessionStage(name: "stage\(number)"))
            session.stages[number - 1].isSkippable = true
        }
        let account = await SessionAccount.of(session, .folder(in: folder.path)) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            switch event {
            case .phase(let phase) where phase.name == .ready: await controller.trigger()
            case .phase(let phase) where phase.name == .armed:
                if phase.stage == 0 { await controller.trigger() } else { await controller.skip() }
            case .review:
                await controller.discardAfterConfirmation()
                await controller.turnReviewPage(forward: true)
                await controller.discardAfterConfirmation()
                await controller.toggleHelp()
                await controller.discardAfterConfirmation()
                await controller.accept()
            default: break
            }
        }
        let prompts = account.events.count { if case .confirmation = $0 { true } else { false } }
        #expect(prompts == 3 && account.outcome.ending == .accepted)
    }

    @Test("Two touches in the review accept the pictures")
    func touches() async throws {
        let account = await SessionAccount.of(.quick("one")) {
            $0.isAutomatic = false
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            if phase.name == .ready { await controller.touch() }
            if phase.name == .review { await controller.touchTwice() }
        }
        #expect(account.outcome.ending == .accepted)
    }

    @Test("The last screen stays until a key closes it, and the session is accepted by then")
    func farewell() async throws {
        let folder = try TemporaryFolder()
        let account = await SessionAccount.of(.quick("one"), .folder(in: folder.path)) {
            $0.farewell = .seconds(3600)
        } onEvent: { event, controller in
            if case .phase(let phase) = event, phase.name == .accepted { await controller.trigger() }
        }
        #expect(account.outcome.ending == .accepted)
        #expect(account.phases.last == .accepted)
    }

    @Test(
        "The last screen of a canceled session stays, too, unless the session has not begun", arguments: [true, false])
    func farewellOfCanceled(hasBegun: Bool) async throws {
        // A session that has not begun ends within the time limit of the test.
        let farewell = hasBegun ? Duration.seconds(1) : .seconds(3600)
        let canceled = Mutex<ContinuousClock.Instant?>(nil)
        let account = await SessionAccount.of(.quick("one", countdown: .seconds(60))) {
            ($0.isAutomatic, $0.farewell) = (false, farewell)
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            switch phase.name {
            case .ready where hasBegun: await controller.trigger()
            case .ready, .counting:
                canceled.withLock { $0 = .now }
                await controller.cancel()
            default: break
            }
        }
        #expect(account.outcome.ending == .cancelled)
        let start = try #require(canceled.withLock { $0 })
        if hasBegun { #expect(start.duration(to: .now) >= farewell) }
    }

    @Test("A session is dated by its first trigger, not by its start, and its end by the same clock")
    func begun() async throws {
        let folder = try TemporaryFolder()
        let clock = Mutex(WallTime(seconds: 1_795_244_400, nanoseconds: 0, utcOffset: 3600))
        let account = await SessionAccount.of(.quick("one"), .folder(in: folder.path)) {
            $0.isAutomatic = false
            $0.wallClock = { clock.withLock { $0 } }
        } onEvent: { event, controller in
            guard case .phase(let phase) = event else { return }
            if phase.name == .ready {
                clock.withLock { $0.seconds += 6 * 3600 }
                await controller.trigger()
            }
            if phase.name == .review { await controller.accept() }
        }
        let path = try #require(account.outcome.folder)
        let record = try SessionAccount.expectWhole(path)
        let began = clock.withLock { $0 }
        #expect(record.begun == began.iso8601 && record.ended == began.iso8601)
        #expect(path.hasSuffix("quick-" + (began.formatted("%Y%m%d-%H%M%S") ?? "")))
    }

    @Test("The selection stays within the review when an aborted retake leaves fewer tiles")
    func fewerTiles() async throws {
        let folder = try TemporaryFolder()
        var session = SessionDescription.quick("around")
        session.stages[0].isSkippable = true
        session.stages[0].pictures = 3
        session.stages[0].sequence = .timed(.milliseconds(100))
        let account = await SessionAccount.reviewed(session, in: folder.path) { number, controller in
            if number == 1 { await controller.selectLastAndSkip() }
            guard number == 2 else { return }
            await controller.retakeShown()
            await controller.leave()
        }
        #expect(account.reviews.last == [] && account.outcome.ending == .left)
    }

    @Test("A session left during the retake of one picture resumes the retake, and loses no picture")
    func retakeOfOne() async throws {
        let folder = try TemporaryFolder()
        var session = SessionDescription.quick("around")
        session.stages[0].pictures = 3
        session.stages[0].sequence = .timed(.milliseconds(100))
        let first = await SessionAccount.reviewed(session, in: folder.path) { _, controller in
            await controller.moveSelection(by: 1)
            await controller.moveSelection(by: 1)
            await controller.retakeShownAndLeave()
        }
        let path = try #require(first.outcome.folder)
        #expect(try SessionAccount.expectWhole(path).progress.stages[0].retaken == 2)
        let second = await SessionAccount.of(session, .resumed(folder: path))
        #expect(second.outcome.ending == .accepted)
        #expect(try SessionAccount.expectWhole(path).pictures.map(\.number) == [1, 4, 3])
    }
}

@Suite("The selection of the review")
struct ReviewSelectionTests {
    @Test("The selection stays within the tiles when a stage has fewer of them")
    func limited() {
        var selection = ReviewSelection()
        selection.limit(to: 1)
        #expect(selection.selected == nil && selection.target(of: 1) == 0 && selection.target(of: 2) == nil)
        selection.move(by: -1, of: 3)
        #expect(selection.selected == 2)
        selection.limit(to: 1)
        #expect(selection.selected == 0 && selection.target(of: 1) == 0)
    }

    @Test("Steps and pages wrap around at both ends, and a tile that is shown alone follows the selection")
    func moved() {
        var selection = ReviewSelection()
        selection.move(by: 1, of: 3)
        selection.lookCloser(at: 0)
        selection.move(by: -1, of: 3)
        #expect(selection.selected == 2 && selection.closeUp == 2)
        selection.lookCloser(at: 2)
        #expect(selection.selected == 2 && selection.closeUp == nil)
        selection.turnPage(forward: false, of: SessionComposer.mostTiles + 1)
        #expect(selection.selected == SessionComposer.mostTiles && selection.pageStart == SessionComposer.mostTiles)
        selection.turnPage(forward: true, of: SessionComposer.mostTiles + 1)
        #expect(selection.selected == 0)
        selection.enter(.ready)
        #expect(selection.selected == nil)
    }
}

@Suite("Reading ISO 8601 times")
struct WallTimeReadingTests {
    @Test("A time is read back as it was written, in any zone and year")
    func roundTrip() {
        var random = SplitMix(11)
        for _ in 0..<2000 {
            let time = WallTime(
                seconds: .random(in: -2_000_000_000...40_000_000_000, using: &random),
                nanoseconds: .random(in: 0...999, using: &random) * 1_000_000,
                utcOffset: .random(in: -840...840, using: &random) * 60)
            #expect(WallTime(iso8601: time.iso8601) == time)
        }
    }

    @Test(
        "Text that is not a time is rejected",
        arguments: ["", "yesterday", "2026-13-01T12:00:00.000+02:00", "2026-05-01T12:00:00.0x0+02:00"])
    func others(text: String) { #expect(WallTime(iso8601: text) == nil) }
}

@Suite("The queue of library pictures", .timeLimit(.minutes(5)))
struct LibraryQueueTests {
    private static func progress(_ pictures: [Int], former: [Int]? = nil) -> SessionProgress {
        var progress = SessionProgress(.quick("one"))
        progress.stages[0].pictures = pictures.map { SessionPicture(number: $0, camera: nil) }
        progress.stages[0].former = former?.map { SessionPicture(number: $0, camera: nil) }
        return progress
    }

    @Test("Pictures come in order, and a picture that a retake replaced comes after the others")
    func order() {
        var queue = LibraryQueue(["a", "b", "c"])
        #expect(queue.dequeue(for: 1) == "a")
        queue.follow(Self.progress([1]))
        queue.follow(Self.progress([], former: [1]))
        #expect(queue.dequeue(for: 2) == "b")
        queue.follow(Self.progress([2]))
        #expect(queue.dequeue(for: 3) == "c")
        queue.follow(Self.progress([2, 3]))
        #expect(queue.dequeue(for: 4) == "a")
        queue.follow(Self.progress([2, 3, 4]))
        #expect(queue.isEmpty && queue.dequeue(for: 5) == nil)
    }

    @Test("A failed picture is retried next, and moves to the end after two failures in a row")
    func failures() {
        var queue = LibraryQueue(["bad", "b"])
        #expect(queue.dequeue(for: 1) == "bad")
        queue.fail(1)
        #expect(queue.dequeue(for: 2) == "bad")
        queue.fail(2)
        queue.follow(Self.progress([]))
        #expect(queue.dequeue(for: 3) == "b")
    }

    @Test("A picture that is listed twice is brought in twice")
    func twice() {
        var queue = LibraryQueue(["a", "a"])
        #expect(queue.dequeue(for: 1) == "a")
        queue.follow(Self.progress([1]))
        #expect(queue.dequeue(for: 2) == "a")
        queue.follow(Self.progress([1, 2]))
        #expect(queue.isEmpty)
    }
}

extension SessionController {
    /// Selects the last tile, retakes its stage, aborts the stage after its last picture, and skips it.
    fileprivate func selectLastAndSkip() {
        moveSelection(by: -1)
        retake(stage: 0)
        // With such a latency each picture is requested at once. The real ones come after the skip, and are released.
        handle(.latency(.seconds(1000)))
        while case .capturing(_, let picture, _) = phase { handle(.taken(picture: picture)) }
        abort()
        skip()
    }

    /// Presses the key that discards twice, before the prompt can expire.
    fileprivate func discardTwice() {
        discardAfterConfirmation()
        discardAfterConfirmation()
    }

    /// Touches the preview twice, before the prompt can expire.
    fileprivate func touchTwice() {
        touch()
        touch()
    }

    /// Leaves the session before the retake can be captured.
    fileprivate func retakeShownAndLeave() {
        retakeShown()
        leave()
    }
}
