// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import PresetKit
import Testing

@testable import CaptureKit
@testable import SessionModel

@Suite("Shipped sessions")
struct ShippedSessionTests {
    @Test("There are six shipped sessions, with the promised names")
    func names() throws {
        let names = try ShippedSessions.paths.map { try SessionFile(path: $0).session.name }
        #expect(
            names == ["avatar", "before-after", "id-card", "loyalty-card", "passport", "product-turntable"])
    }

    @Test("Shipped sessions, their outlines and pictures are valid", arguments: ShippedSessions.paths)
    func good(path: String) throws {
        let checkout = String(ShippedPresets.folder.dropLast("/pipelines".count))
        let outlines = OutlineLibrary(PresetSurroundings(workingFolder: checkout))
        #expect(SessionFile.errors(inFile: path, outlines: outlines) == [])
    }

    @Test("Shipped sessions state their purpose, command and prompts", arguments: ShippedSessions.paths)
    func helpful(path: String) throws {
        let file = try SessionFile(path: path)
        #expect(!file.session.purpose.isEmpty && file.session.title != file.session.name)
        #expect(file.text.contains("gst-capture session run \(file.session.name)\n"))
        #expect(file.session.stages.allSatisfy { !$0.prompt.isEmpty || $0.name == "free" })
    }

    @Test("Shipped sessions have all their texts in German", arguments: ShippedSessions.paths)
    func german(path: String) throws {
        let session = try SessionFile(path: path).session
        let words = try #require(session.languages["de"])
        #expect(words.title != nil && words.purpose != nil && words.tutorial.count == session.tutorial.count)
        for stage in session.stages {
            let own = try #require(words.stages[stage.name])
            #expect(own.title != nil && (own.prompt == nil) == stage.prompt.isEmpty)
        }
    }

    @Test(
        "A shipped session reaches the review with triggers, cameras and good frames", arguments: ShippedSessions.paths)
    func run(path: String) throws {
        let session = try SessionFile(path: path).session
        var drive = try SessionDrive(session)
        drive(.begin, .cameraReady(.back))
        for _ in 0..<500 where drive.machine.phase != .review {
            for kind in GateRequest.Kind.allCases { drive(.gate(kind, holds: true)) }
            if case .useCamera(let role, let besides)? = drive.effects.last {
                drive(.cameraReady(role, besides: besides))
            }
            if drive.asked == nil { drive(.trigger) }
            drive.picture()
        }
        #expect(drive.machine.phase == .review)
        #expect(drive.machine.progress.pictures.count == session.pictureCount)
    }

    @Test("The session avatar has the stages front, side, free and face, and begins with a trigger")
    func avatar() throws {
        let session = try SessionFile(path: ShippedSessions.folder + "/avatar.yaml").session
        #expect(session.start == .trigger && session.nextStages == .now && session.abort == .restart)
        #expect(session.stages.map(\.name) == ["front", "side", "free", "face"])
        #expect(session.stages.map(\.outline) == ["body-front", "body-side", nil, "face"])
        #expect(session.stages.map(\.camera) == [nil, nil, nil, .front])
        #expect(session.stages.map(\.isSkippable) == [false, false, false, true])
        // The face has a separate button, as in the original app.
        #expect(session.stages.map(\.start) == [nil, nil, nil, .trigger])
    }
}
