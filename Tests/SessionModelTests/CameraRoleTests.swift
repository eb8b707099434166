// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import SessionModel

@Suite("Roles of cameras")
struct CameraRoleTests {
    @Test("A role is a name of letters, digits and _ that has no other meaning")
    func names() {
        for name in ["front", "left", "L2", "top_left", String(repeating: "a", count: 32)] {
            #expect(CameraRole(rawValue: name)?.rawValue == name)
        }
        for name in [
            "", "2nd", "_a", "a-b", "a b", "any", "None", "crop", "ä", "a/b", "a\0", String(repeating: "a", count: 33),
        ] {
            #expect(CameraRole(rawValue: name) == nil, "\(name)")
        }
    }

    @Test("Front comes first, then back, then the others by name")
    func order() {
        let roles = ["top", "back", "left", "front"].compactMap(CameraRole.init)
        #expect(roles.sorted().map(\.rawValue) == ["front", "back", "left", "top"])
    }

    @Test("A switch goes through all cameras of the session")
    func cycle() throws {
        let roles = ["front", "left", "top"].compactMap(CameraRole.init)
        var plan = SessionMachine.Plan(usualCamera: .front)
        plan.cameras = roles
        var drive = try SessionDrive(SessionDescription(name: "quick", stages: [SessionStage(name: "one")]), plan)
        drive(.begin)
        var shown: [CameraRole] = []
        for _ in 0..<3 {
            drive(.cameraReady(drive.machine.camera), .switchCamera)
            shown.append(drive.machine.camera)
        }
        #expect(shown.map(\.rawValue) == ["left", "top", "front"])
    }

    @Test("A stage with several cameras waits for all of them, and the next one keeps the shown camera")
    func several() throws {
        var session = SessionDescription(name: "quick", stages: ["both", "one"].map { SessionStage(name: $0) })
        session.nextStages = .trigger
        session.stages[0].cameras = [.front, .back]
        var drive = try SessionDrive(session, SessionMachine.Plan(usualCamera: .front))
        drive(.begin, .cameraReady(.front), .trigger)
        #expect(drive.effects.contains(.useCamera(.front, besides: [.back])))
        drive(.cameraReady(.front))
        #expect(drive.machine.phase == .switching(stage: 0, .now))
        drive(.cameraReady(.front, besides: [.back]))
        drive.picture()
        let taking = drive.effects.compactMap { if case .capture(let taking) = $0 { taking } else { nil } }
        #expect(taking.map(\.besides) == [[.back]])
        drive(.trigger)
        #expect(drive.effects.contains(.useCamera(.front)))
    }
}
