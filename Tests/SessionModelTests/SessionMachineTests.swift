// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase
import Testing

@testable import SessionModel

@Suite("The session machine")
struct SessionMachineTests {
    /// A session that counts down to its first picture.
    private func counting(_ change: (inout SessionDescription) -> Void = { _ in }) throws -> SessionDrive {
        var drive = try SessionDrive(.three(change))
        drive(.begin, .cameraReady(.back), .trigger)
        try #require(drive.machine.phase == .counting(stage: 0, zero: drive.now + drive.machine.session.countdown))
        return drive
    }

    /// A session in the review, with all its pictures.
    private func reviewed(_ change: (inout SessionDescription) -> Void = { _ in }) throws -> SessionDrive {
        var drive = try counting(change)
        for _ in 0..<100 where drive.machine.phase != .review {
            switch drive.machine.phase.name {
            case "counting": drive.picture()
            case "switching": drive(.cameraReady(.front))
            default: drive(.trigger)
            }
        }
        try #require(drive.machine.phase == .review)
        return drive
    }

    private static let error = CaptureError(.inputOutput, "no frame came")

    @Test("One trigger runs all stages, each with its countdown and its camera")
    func run() throws {
        var drive = try SessionDrive(.three)
        #expect(drive(.begin) == [.useCamera(.back)])
        drive(.cameraReady(.back))
        let start = drive.now
        #expect(drive(.trigger) == [.emit(.stage(0)), .countdown(.seconds(5)), .wake(start + .seconds(1))])
        for second in 1...4 {
            #expect(drive.advance().first == .countdown(.seconds(5 - second)))
        }
        #expect(drive.advance() == [.capture(Taking(number: 1, stage: 0, role: .back, zero: start + .seconds(5)))])
        let done = drive(.taken(picture: 1))
        #expect(done == [.emit(.stageDone(0)), .wake(drive.now + .seconds(1))])
        #expect(drive.advance().prefix(2) == [.emit(.stage(1)), .countdown(.seconds(5))])
        drive.picture()
        #expect(drive.advance() == [.emit(.stage(2)), .useCamera(.front)], "this stage names its camera")
        #expect(drive(.cameraReady(.back)) == [], "this stage needs the other camera")
        drive(.cameraReady(.front))
        drive.picture()
        drive.advance()
        #expect(drive.machine.phase == .review && drive.pictures == [[1], [2], [3]])
        #expect(drive.machine.progress.pictures.map(\.camera) == [.back, .back, .front])
        #expect(drive(.accept) == [.end(.accepted)])
        #expect(drive.machine.progress.ending == .accepted)
    }

    @Test("A session with an automatic start needs no trigger")
    func unattended() throws {
        var drive = try SessionDrive(.three { $0.start = .now })
        #expect(drive(.begin) == [.emit(.stage(0)), .useCamera(.back)])
        drive(.cameraReady(.back))
        #expect(drive.machine.phase.name == "counting")
    }

    @Test("If the next stages wait for a trigger, the picture is shown first")
    func triggeredStages() throws {
        var drive = try counting { $0.nextStages = .trigger }
        drive.picture()
        #expect(drive.machine.phase.name == "done")
        drive.advance()
        #expect(drive.machine.phase == .armed(stage: 1, .trigger))
        drive(.trigger)
        #expect(drive.machine.phase.name == "counting")
    }

    @Test("The picture is requested before zero by the latency of the shutter")
    func latency() throws {
        var drive = try counting { $0.countdown = .seconds(1) }
        let zero = drive.now + .seconds(1)
        #expect(drive(.latency(.milliseconds(300))) == [.wake(zero - .milliseconds(300))])
        #expect(drive.advance() == [.capture(Taking(number: 1, stage: 0, role: .back, zero: zero))])
        #expect(drive.now == zero - .milliseconds(300))
    }

    @Test("The countdown counts each second, even if the latency of the shutter exceeds a second")
    func longLatency() throws {
        var drive = try counting { $0.countdown = .seconds(3) }
        drive(.latency(.milliseconds(2500)))
        #expect(
            drive.advance() == [
                .capture(Taking(number: 1, stage: 0, role: .back, zero: drive.now + .milliseconds(2500))),
                .wake(drive.now + .milliseconds(500)),
            ])
        #expect(drive.advance().first == .countdown(.seconds(2)))
        #expect(drive.advance() == [.countdown(.seconds(1))])
    }

    @Test("A retake of one picture replaces it in its place, and keeps the other pictures of the stage")
    func retakeOfOne() throws {
        var drive = try reviewed {
            $0.stages[1].pictures = 3
            $0.stages[1].sequence = .timed(.seconds(1))
        }
        #expect(drive.pictures == [[1], [2, 3, 4], [5]])
        #expect(drive(.retake(stage: 1, picture: 9)) == [.emit(.refused(.notTaken))])
        drive(.retake(stage: 1, picture: 3), .cameraReady(.back))
        #expect(drive.machine.progress.stages[1].nextIndex == 1)
        drive.picture()
        #expect(drive.pictures == [[1], [2, 6, 4], [5]])
        #expect(drive.effects.contains(.release([SessionPicture(number: 3, camera: .back)])))
        drive.advance()
        #expect(drive.machine.phase == .review)
    }

    @Test("A skipped retake of one picture does not change the stage")
    func skippedRetake() throws {
        var drive = try reviewed { $0.stages[1].pictures = 2 }
        drive(.retake(stage: 1, picture: 2))
        try #require(drive.machine.phase.name == "switching")
        drive(.skip)
        #expect(drive.pictures == [[1], [2, 3], [4]] && drive.machine.phase == .review)
    }

    @Test("A retake of one picture resumes after a crash, and replaces only that picture")
    func resumedRetake() throws {
        var drive = try reviewed { $0.stages[1].pictures = 2 }
        drive(.retake(stage: 1, picture: 3), .cameraReady(.back))
        var again = try SessionDrive(drive.machine.session, from: drive.machine.progress)
        again(.begin, .cameraReady(.back), .trigger)
        again.picture()
        again.advance()
        #expect(again.pictures == [[1], [2, 5], [4]] && again.machine.phase == .review)
    }

    @Test("A stage that loses a file during the retake of one picture captures all missing pictures")
    func lossyRetake() throws {
        var drive = try reviewed { $0.stages[1].pictures = 2 }
        drive(.retake(stage: 1, picture: 3))
        drive.machine.progress.lose([2])
        #expect(drive.machine.progress.stages[1].pictures.map(\.number) == [3])
        #expect(drive.machine.progress.stages[1].retaken == nil && drive.machine.progress.stages[1].former == nil)
    }

    @Test("A request during a countdown is refused, and starts no second countdown")
    func secondPress() throws {
        var drive = try counting()
        let phase = drive.machine.phase
        for control in [SessionMachine.Input.trigger, .skip, .switchCamera, .retake(stage: 0), .accept, .discard] {
            #expect(drive(control) == [.emit(.refused(.counting))])
        }
        #expect(drive.machine.phase == phase)
    }

    @Test("The tutorial is shown page by page, can be skipped, and is remembered")
    func tutorial() throws {
        let session = SessionDescription.three { $0.tutorial = [TutorialPage("one"), TutorialPage("two")] }
        var drive = try SessionDrive(session)
        drive(.begin, .cameraReady(.back))
        #expect(drive(.trigger) == [])
        #expect(drive.machine.phase == .tutorial(page: 0))
        #expect(drive(.trigger) == [])
        #expect(drive.machine.phase == .tutorial(page: 1))
        #expect(drive(.trigger).first == .rememberTutorial)
        var hasty = try SessionDrive(session)
        hasty(.begin, .cameraReady(.back), .trigger)
        #expect(hasty(.skip).prefix(2) == [.rememberTutorial, .emit(.stage(0))])
        var again = try SessionDrive(session, SessionMachine.Plan(knowsTutorial: true))
        again(.begin, .cameraReady(.back))
        #expect(again(.trigger).first == .emit(.stage(0)))
    }

    @Test(
        "Shake during a countdown aborts it, and the session's policy decides the effect",
        arguments: SessionDescription.AbortPolicy.allCases, [false, true])
    func shake(policy: SessionDescription.AbortPolicy, isKept: Bool) throws {
        var drive = try counting {
            ($0.abort, $0.keepsAborted) = (policy, isKept)
            $0.stages[1].gates = [GateRequest(.steady)]
            $0.stages[1].pictures = 2
            $0.stages[1].sequence = .timed(.seconds(2))
        }
        drive.picture()
        drive(.trigger, .gate(.steady, holds: true))
        for _ in 0..<5 { drive.advance() }
        drive(.taken(picture: 2))
        let effects = drive(.gate(.steady, holds: false))
        #expect(effects.first == .emit(.aborted(stage: 1, .gate(.steady), policy)))
        let dropped = (policy == .retakeStage ? [2] : [1, 2]).map { SessionPicture(number: $0, camera: .back) }
        #expect(effects.contains(isKept ? .setAside(dropped) : .release(dropped)))
        #expect(drive.machine.progress.setAside == (isKept ? dropped : []))
        switch policy {
        case .restart: #expect(drive.machine.phase == .armed(stage: 0, .trigger) && drive.pictures == [[], [], []])
        case .retakeStage: #expect(drive.machine.phase.stage == 1 && drive.pictures == [[1], [], []])
        case .cancel: #expect(drive.machine.phase == .cancelled && effects.last == .end(.cancelled))
        }
    }

    @Test("If too many pictures are set aside, the oldest are released")
    func oldAside() throws {
        let most = SessionProgress.mostSetAside
        var progress = SessionProgress(.three)
        progress.setAside = (1...most).map { SessionPicture(number: $0, camera: .back) }
        progress.nextPicture = most + 1
        var drive = try SessionDrive(.three { $0.keepsAborted = true }, from: progress)
        drive(.begin, .cameraReady(.back), .trigger)
        drive.picture()
        let newest = SessionPicture(number: most + 1, camera: .back)
        let effects = drive(.abort)
        #expect(effects.contains(.setAside([newest])))
        #expect(effects.contains(.release([SessionPicture(number: 1, camera: .back)])))
        #expect(drive.machine.progress.setAside.count == most && drive.machine.progress.setAside.last == newest)
    }

    @Test("Shake until the moment of the picture aborts and cancels the picture; later shake has no effect")
    func lateShake() throws {
        for isLate in [false, true] {
            var drive = try SessionDrive(.three { $0.gates = [GateRequest(.steady)] })
            drive(.begin, .cameraReady(.back), .latency(.milliseconds(200)), .trigger, .gate(.steady, holds: true))
            while drive.asked == nil { drive.advance() }
            if isLate { drive.now = drive.now + .milliseconds(200) }
            let effects = drive(.gate(.steady, holds: false))
            #expect((effects.first == .callOff(picture: 1)) == !isLate)
            #expect(drive.machine.phase.name == (isLate ? "capturing" : "armed"))
        }
    }

    @Test("A gate whose policy is to wait delays the countdown until it holds")
    func waitingGate() throws {
        var drive = try SessionDrive(.three { $0.gates = [GateRequest(.focus), GateRequest(.light)] })
        drive(.begin, .cameraReady(.back))
        let start = drive.now
        #expect(drive(.trigger).suffix(2) == [.watch(drive.machine.session.gates), .wake(start + .seconds(30))])
        #expect(drive.machine.phase == .armed(stage: 0, .gates(since: start)))
        drive(.gate(.light, holds: false), .gate(.focus, holds: false))
        #expect(drive.machine.phase.name == "waiting")
        drive.now = drive.now + .seconds(7)
        drive(.gate(.focus, holds: true))
        #expect(drive.machine.phase == .counting(stage: 0, zero: drive.now + .seconds(5)))
        drive(.gate(.focus, holds: false))
        #expect(drive.machine.phase.name == "counting", "only gates that abort count during the countdown")
    }

    @Test("A gate that times out is overruled or aborts the stage, depending on its expiry")
    func vainGate() throws {
        for expiry in GateRequest.Expiry.allCases {
            var gate = GateRequest(.present)
            (gate.limit, gate.expiry) = (.seconds(9), expiry)
            var drive = try SessionDrive(.three { $0.gates = [gate] })
            drive(.begin, .cameraReady(.back), .trigger)
            let limit = drive.now + .seconds(9)
            drive.now = drive.now + .seconds(1)
            #expect(drive(.wake) == [.wake(limit)], "the wake is too early")
            let effects = drive.advance()
            #expect(drive.now == limit)
            if expiry == .proceed {
                #expect(effects.first == .emit(.overruled(.present)))
                #expect(drive.machine.phase.name == "counting")
            } else {
                #expect(effects.first == .emit(.aborted(stage: 0, .expired(.present), .restart)))
                #expect(drive.machine.phase == .armed(stage: 0, .trigger))
            }
        }
    }

    @Test("A stage takes several pictures at intervals")
    func timedPictures() throws {
        var drive = try counting {
            $0.stages[0].pictures = 3
            $0.stages[0].sequence = .timed(.seconds(2))
        }
        let zero = drive.now + .seconds(5)
        drive.picture()
        #expect(drive.machine.phase == .counting(stage: 0, zero: zero + .seconds(2)))
        drive.picture()
        drive.now = zero + .seconds(60)
        drive.picture()
        #expect(drive.machine.phase.name == "done" && drive.pictures[0] == [1, 2, 3])
    }

    @Test("A stage takes several pictures, each at a trigger")
    func triggeredPictures() throws {
        var drive = try counting { $0.stages[0].pictures = 2 }
        drive.picture()
        #expect(drive.machine.phase == .armed(stage: 0, .trigger))
        drive(.trigger)
        drive.picture()
        #expect(drive.machine.phase.name == "done" && drive.pictures[0] == [1, 2])
    }

    @Test("A picture that fails is reported, and can be taken again")
    func failure() throws {
        var drive = try counting()
        while drive.asked == nil { drive.advance() }
        #expect(drive(.failed(picture: 1, Self.error)) == [.emit(.failed(stage: 0, Self.error))])
        drive(.trigger)
        drive.picture()
        #expect(drive.pictures[0] == [2])
    }

    @Test("A picture is brought in from a library, with or without a camera")
    func bringing() throws {
        var drive = try SessionDrive(.three { $0.stages[0].pictures = 2 })
        drive(.begin, .trigger)
        let taking = Taking(
            number: 1, stage: 0, role: nil, zero: drive.now, file: Taking.LibraryFile(source: .path("a.jpg")))
        #expect(drive(.bring(taking.file)) == [.bring(taking)])
        #expect(drive(.trigger) == [.emit(.refused(.bringing))])
        drive(.taken(picture: 1))
        #expect(drive.machine.phase == .switching(stage: 0, .trigger))
        drive(.bring(), .cameraReady(.back))
        #expect(drive(.failed(picture: 2, Self.error)).first == .emit(.failed(stage: 0, Self.error)))
        #expect(drive.machine.phase == .armed(stage: 0, .trigger))
        drive(.bring(), .cameraLost, .taken(picture: 3))
        #expect(drive.machine.phase.name == "done" && drive.machine.progress.pictures.map(\.camera) == [nil, nil])
        drive.advance()
        drive(.bring())
        #expect(drive(.abort).first == .callOff(picture: 4))
    }

    @Test("Only a skippable stage is skipped")
    func skipping() throws {
        var drive = try SessionDrive(.three)
        drive(.begin, .cameraReady(.back), .trigger, .abort)
        #expect(drive(.skip).first == .emit(.skipped(0)))
        #expect(drive.machine.progress.stages[0].state == .skipped)
        drive(.abort)
        #expect(drive.machine.progress.stages[0].state == .open, "the abort restarts the session")
        drive(.skip, .cameraLost)
        #expect(drive(.skip) == [.emit(.refused(.notSkippable))])
    }

    @Test("The camera is switched if the stage allows it, and the earlier pictures are kept")
    func switching() throws {
        var drive = try counting {
            $0.nextStages = .trigger
            $0.abort = .retakeStage
        }
        drive.picture()
        drive(.trigger)
        #expect(drive(.switchCamera) == [.useCamera(.front)])
        #expect(drive(.trigger) == [.emit(.refused(.switchingCamera))])
        #expect(drive(.switchCamera) == [.useCamera(.back)], "a second request switches back")
        drive(.switchCamera, .cameraReady(.back))
        #expect(drive.machine.phase.name == "switching", "the back camera is ready too late")
        drive(.cameraReady(.front), .trigger)
        drive.picture()
        drive(.trigger)
        #expect(drive(.switchCamera) == [.emit(.refused(.cameraIsFixed))])
        #expect(drive.machine.progress.pictures.map(\.camera) == [.back, .front])
        var alone = try SessionDrive(.three, SessionMachine.Plan(hasSeveralCameras: false, usualCamera: .back))
        alone(.begin, .cameraReady(.back))
        #expect(alone(.switchCamera) == [.emit(.refused(.onlyCamera))])
    }

    @Test("A session can switch from a camera that was never ready to the other camera")
    func neverThere() throws {
        var drive = try SessionDrive(.three)
        drive(.begin)
        #expect(drive(.switchCamera) == [.useCamera(.front)])
        #expect(drive(.cameraReady(.back)) == [], "the back camera is ready too late")
        drive(.cameraReady(.front), .trigger)
        drive.picture()
        #expect(drive.machine.progress.pictures.map(\.camera) == [.front])
    }

    @Test("The loss of the camera cancels a countdown, which restarts when the camera reconnects")
    func lostCamera() throws {
        var drive = try counting()
        drive.advance()
        #expect(drive(.cameraLost) == [.emit(.cameraLost)])
        drive.now = drive.now + .seconds(20)
        #expect(drive(.cameraReady(.back)).first == .emit(.cameraBack))
        #expect(drive.machine.phase == .counting(stage: 0, zero: drive.now + .seconds(5)))
    }

    @Test("A picture whose camera is lost is captured again, and is released if it arrives late")
    func lostPicture() throws {
        var drive = try counting()
        while drive.asked == nil { drive.advance() }
        #expect(drive(.cameraLost).first == .callOff(picture: 1))
        #expect(drive(.taken(picture: 1)) == [.release([SessionPicture(number: 1, camera: .back)])])
        drive(.cameraReady(.back))
        drive.picture()
        #expect(drive.pictures[0] == [2])
        #expect(drive(.taken(picture: 2)) == [], "this picture is known already")
    }

    @Test("A retaken stage returns to the review, and keeps its former pictures until then")
    func retake() throws {
        var drive = try reviewed()
        let former = SessionPicture(number: 2, camera: .back)
        #expect(
            drive(.retake(stage: 1)) == [.emit(.stage(1)), .useCamera(.back)],
            "the back camera captured the stage before")
        drive(.cameraReady(.back))
        #expect(drive.machine.progress.stages[1].former == [former])
        while drive.asked == nil { drive.advance() }
        #expect(drive(.taken(picture: 4)).first == .release([former]))
        drive.advance()
        #expect(drive.machine.phase == .review)
        #expect(drive.pictures == [[1], [4], [3]])
    }

    @Test("A retake that is aborted restarts; a retake that is skipped changes nothing")
    func abortedRetake() throws {
        var drive = try reviewed()
        drive(.retake(stage: 1), .cameraReady(.back), .abort)
        #expect(drive.machine.phase.name == "counting" && drive.machine.phase.stage == 1)
        drive(.cameraLost, .skip)
        #expect(drive.machine.phase == .review && drive.pictures == [[1], [2], [3]])
        #expect(drive(.retake(stage: 7)) == [.emit(.refused(.notTaken))])
        #expect(drive(.retake(stage: -1)) == [.emit(.refused(.notTaken))])
    }

    @Test("Discarding releases all pictures, even if the session keeps those of aborted runs")
    func discard() throws {
        var drive = try reviewed { $0.keepsAborted = true }
        let pictures = drive.machine.progress.pictures
        #expect(drive(.discard) == [.release(pictures), .end(.cancelled)])
        #expect(drive.machine.progress.pictures.isEmpty && drive.machine.progress.ending == .cancelled)
    }

    @Test("After a crash the session resumes at the first open stage, when it is triggered")
    func resume() throws {
        var first = try counting()
        first.picture()
        var drive = try SessionDrive(.three, from: first.machine.progress)
        #expect(drive(.begin) == [.emit(.stage(1)), .useCamera(.back)])
        drive(.cameraReady(.back))
        #expect(drive.machine.phase == .armed(stage: 1, .trigger))
        drive(.trigger)
        drive.picture()
        #expect(drive.pictures == [[1], [2], []])
    }

    @Test("A session that crashed in a retake, in the review or after its end resumes there")
    func resumeLate() throws {
        var drive = try reviewed()
        var review = try SessionDrive(.three, from: drive.machine.progress)
        review(.begin)
        #expect(review.machine.phase == .review)
        drive(.retake(stage: 0))
        var retake = try SessionDrive(.three, from: drive.machine.progress)
        retake(.begin, .cameraReady(.back), .trigger)
        retake.picture()
        #expect(retake.effects.contains(.release([SessionPicture(number: 1, camera: .back)])))
        drive(.cancel)
        var ended = try SessionDrive(.three, from: drive.machine.progress)
        #expect(ended(.begin) == [.end(.cancelled)])
    }

    @Test("A session that crashed in a retake after the review repeats only that stage when it is aborted")
    func resumeReviewed() throws {
        var drive = try reviewed { $0.abort = .restart }
        drive(.retake(stage: 0), .cameraReady(.back))
        var again = try SessionDrive(drive.machine.session, from: drive.machine.progress)
        again(.begin, .cameraReady(.back), .trigger)
        again.picture()
        try #require(again.machine.phase.name == "done")
        again(.abort)
        #expect(again.pictures == [[], [2], [3]] && again.machine.phase.stage == 0)
    }

    @Test("A stage that has all its pictures, but was not closed before the crash, is not captured again")
    func resumeFull() throws {
        var progress = SessionProgress(.three)
        progress.stages[0].pictures = [SessionPicture(number: 1, camera: .back)]
        progress.nextPicture = 2
        var drive = try SessionDrive(.three, from: progress)
        drive(.begin)
        #expect(drive.machine.phase.stage == 1)
    }

    @Test("Progress of another session, or inconsistent progress, is refused")
    func foreignProgress() throws {
        let other = SessionProgress(.three { $0.stages.removeLast() })
        let error = #expect(throws: CaptureError.self) { try SessionMachine(.three, from: other) }
        #expect(error?.code == .configuration)
        for (numbers, next) in [([1], 1), ([0], 2), ([1, 1], 2), ([], Int.max), ([], 0), ([5], -3)] {
            var progress = SessionProgress(.three)
            progress.nextPicture = next
            progress.stages[0].pictures = numbers.map { SessionPicture(number: $0, camera: nil) }
            #expect(throws: CaptureError.self) { try SessionMachine(.three, from: progress) }
        }
    }
}
