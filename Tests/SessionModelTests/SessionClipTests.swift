// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase
import Testing

@testable import SessionModel

@Suite("Stages with a clip")
struct SessionClipTests {
    /// A session whose first stage is a clip of 2.5 seconds, which is being recorded since ``SessionDrive/now``.
    private func recording(_ change: (inout SessionDescription) -> Void = { _ in }) throws -> SessionDrive {
        var drive = try SessionDrive(
            .three {
                $0.stages[0].clip = .milliseconds(2500)
                change(&$0)
            })
        drive(.begin, .cameraReady(.back), .trigger)
        while case .counting = drive.machine.phase { drive.advance() }
        drive(.begun(picture: 1))
        try #require(drive.machine.phase.name == "recording")
        return drive
    }

    private static let error = CaptureError(.inputOutput, "the disk is full")

    @Test("A clip is requested before zero, counts its seconds from its first picture, and is done when it is stored")
    func run() throws {
        var drive = try SessionDrive(.three { $0.stages[0].clip = .milliseconds(2500) })
        drive(.begin, .cameraReady(.back), .latency(.seconds(1)), .trigger)
        let zero = drive.now + .seconds(5)
        for _ in 0..<3 { drive.advance() }
        let taking = Taking(number: 1, stage: 0, role: .back, zero: zero)
        #expect(drive.advance() == [.record(taking), .countdown(.seconds(1))])
        #expect(drive(.trigger) == [.emit(.refused(.capturing))], "it has not begun")
        drive.now = zero + .milliseconds(40)
        let end = drive.now + .milliseconds(2500)
        #expect(drive(.begun(picture: 1)) == [.remaining(.milliseconds(2500)), .wake(end - .seconds(2))])
        #expect(drive.machine.phase == .recording(stage: 0, picture: 1, end: end))
        #expect(drive.advance() == [.remaining(.seconds(2)), .wake(end - .seconds(1))])
        #expect(drive.advance() == [.remaining(.seconds(1)), .wake(end)])
        #expect(drive.advance() == [], "the recorder ends it by itself")
        #expect(drive.machine.phase.name == "capturing" && drive.machine.progress.nextPicture == 2)
        #expect(drive(.taken(picture: 1)) == [.emit(.stageDone(0)), .wake(end + .seconds(1))])
        #expect(drive.pictures == [[1], [], []])
    }

    @Test("A trigger ends a clip once, and its remaining seconds are not shown any more")
    func trigger() throws {
        var drive = try recording()
        #expect(drive(.trigger) == [.endClip(picture: 1)])
        #expect(drive(.trigger) == [.emit(.refused(.capturing))])
        #expect(drive(.wake) == [])
        drive(.taken(picture: 1))
        #expect(drive.machine.phase.name == "done")
    }

    @Test("A clip that the recorder ends earlier than the machine is kept")
    func early() throws {
        var drive = try recording()
        drive(.taken(picture: 1))
        #expect(drive.machine.phase.name == "done" && drive.pictures[0] == [1])
    }

    @Test("An abort calls off the clip, and the next one has another number")
    func abort() throws {
        var drive = try recording { $0.abort = .retakeStage }
        #expect(drive(.abort).prefix(2) == [.callOff(picture: 1), .emit(.aborted(stage: 0, .asked, .retakeStage))])
        #expect(drive.machine.phase.name == "armed" && drive.pictures[0] == [])
        #expect(drive(.begun(picture: 1)) == [], "the machine has cancelled it")
        drive(.trigger)
        while case .counting = drive.machine.phase { drive.advance() }
        drive(.begun(picture: 2), .taken(picture: 1))
        #expect(drive.machine.phase.name == "recording", "the stray clip is not that of the stage")
        drive(.taken(picture: 2))
        #expect(drive.pictures[0] == [2])
    }

    @Test("Gates judge until zero, not during the clip")
    func gates() throws {
        var drive = try SessionDrive(
            .three {
                $0.stages[0].clip = .seconds(4)
                $0.gates = [GateRequest(.steady, .abort)]
            })
        drive(.begin, .cameraReady(.back), .trigger, .gate(.steady, holds: true))
        while case .counting = drive.machine.phase { drive.advance() }
        drive(.begun(picture: 1), .gate(.steady, holds: false))
        #expect(drive.machine.phase.name == "recording")
    }

    @Test("A lost camera calls off the clip, and the stage counts down again when it is back")
    func loss() throws {
        var drive = try recording()
        #expect(drive(.cameraLost).prefix(2) == [.callOff(picture: 1), .emit(.cameraLost)])
        drive(.cameraReady(.back))
        #expect(drive.machine.phase.name == "counting" && drive.pictures[0] == [])
    }

    @Test("A clip that fails is reported, and the stage waits for a trigger")
    func failure() throws {
        var drive = try recording()
        #expect(drive(.failed(picture: 1, Self.error)) == [.emit(.failed(stage: 0, Self.error))])
        #expect(drive.machine.phase == .armed(stage: 0, .trigger))
    }

    @Test("A picture of a library does not replace a clip")
    func bring() throws {
        var drive = try SessionDrive(.three { $0.stages[0].clip = .seconds(4) })
        drive(.begin, .cameraReady(.back), .trigger, .abort)
        #expect(drive(.bring()) == [.emit(.refused(.needsClip))])
    }

    @Test("A retake replaces the clip once the new one is stored")
    func retake() throws {
        var drive = try recording { $0.stages = [$0.stages[0]] }
        drive(.taken(picture: 1))
        drive.advance()
        drive(.retake(stage: 0, picture: 1))
        while case .counting = drive.machine.phase { drive.advance() }
        drive(.begun(picture: 2))
        #expect(drive.machine.progress.pictures.map(\.number) == [1])
        #expect(drive(.taken(picture: 2)).contains(.release([SessionPicture(number: 1, camera: .back)])))
        #expect(drive.pictures == [[2]])
    }

    @Test("A session is not idle while it records")
    func idle() throws {
        var drive = try recording { $0.idle = .seconds(5) }
        #expect(drive.machine.idleEnd == nil)
        drive.now = drive.now + .seconds(60)
        drive(.idle, .wake, .taken(picture: 1))
        #expect(drive.machine.phase.name == "done")
    }
}
