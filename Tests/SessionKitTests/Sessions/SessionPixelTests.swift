// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import OverlayCompositor
import PresetKit
import SystemBase
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

@Suite struct `The drawn view of a session` {
    static let sizes = [PreviewSize(width: 640, height: 360), PreviewSize(width: 480, height: 640)]

    private func avatar(_ size: PreviewSize) throws -> (SessionComposer, SessionScene) {
        let session = try SessionFile(path: ShippedSessions.folder + "/avatar.yaml").session
        let checkout = String(ShippedPresets.folder.dropLast("/pipelines".count))
        let library = OutlineLibrary(PresetSurroundings(workingFolder: checkout))
        let names = Set(session.stages.compactMap(\.outline))
        let outlines = try Dictionary(uniqueKeysWithValues: names.map { ($0, try library.outline($0)) })
        var scene = SessionScene(.armed(stage: 0, .trigger), SessionProgress(session))
        scene.hasKeys = true
        return (SessionComposer(session, outlines: outlines, on: size), scene)
    }

    private func picture(
        _ view: SessionView, _ size: PreviewSize, _ pattern: String = "black"
    ) async throws -> RGBPicture {
        let ground = try await RenderedView.ground(pattern, width: size.width, height: size.height)
        return try await RGBPicture(RenderedView(view, on: ground).sample)
    }

    /// The number of white pixels in the middle of the frame, at the place of the digits.
    private func white(_ picture: RGBPicture) -> Int {
        let (x, y) = (picture.width / 2, picture.height * 46 / 100)
        let reach = min(picture.width, picture.height) / 7
        return (y - reach..<y + reach).flatMap { y in (x - reach..<x + reach).map { picture[$0, y] } }.count {
            $0.min() > 250
        }
    }

    @Test(arguments: sizes) func `The digits of a countdown are white with dark edges`(size: PreviewSize) async throws {
        var (composer, scene) = try avatar(size)
        scene.phase = .armed(stage: 2, .trigger)
        let before = try await white(picture(composer.view(scene), size))
        (scene.phase, scene.countdown) = (.counting(stage: 2, zero: .zero), "3")
        let counting = try await picture(composer.view(scene), size)
        #expect(before == 0 && white(counting) > size.width * size.height / 100)
        // On white, the digits are visible by their dark edges.
        let light = try await picture(composer.view(scene), size, "white")
        #expect(light.pixels.count { $0[0] < 120 } > size.width * size.height / 200)
    }

    @Test func `Each stage has its own outline`() async throws {
        let size = Self.sizes[0]
        var (composer, scene) = try avatar(size)
        var seen: [RGBPicture] = []
        for stage in 0..<4 {
            scene.phase = .capturing(stage: stage, picture: 1, zero: .zero)
            seen.append(try await picture(composer.view(scene), size))
        }
        // The rows between the texts at the top and at the bottom.
        let middles = seen.map { Array($0.pixels[(size.width * 90)..<(size.width * 270)]) }
        #expect(Set(middles).count == 4)
        #expect(middles[2].allSatisfy { $0.max() < 8 })
    }

    @Test(arguments: sizes) func `Texts of any length stay within the frame`(size: PreviewSize) async throws {
        let words = String(repeating: "WWWW mmmm hold the card exactly into the outline ", count: 12)
        var stage = SessionStage(name: "y-" + String(repeating: "long", count: 15))
        stage.prompt = words
        var session = SessionDescription(name: "x", title: words, stages: [stage])
        session.tutorial = [TutorialPage(words)]
        let composer = SessionComposer(session, outlines: [:], on: size)
        var scene = SessionScene(.idle, SessionProgress(session))
        (scene.hasKeys, scene.hasSeveralCameras, scene.hasLibrary) = (true, true, true)
        (scene.countdown, scene.hints, scene.notice) = ("600", [words, words], words)
        for phase in [
            SessionMachine.Phase.counting(stage: 0, zero: .zero), .armed(stage: 0, .trigger), .tutorial(page: 0),
            .review,
            .switching(stage: 0, .now), .accepted,
        ] {
            scene.phase = phase
            let picture = try await picture(composer.view(scene), size)
            let edge =
                (0..<size.width).flatMap { [picture[$0, 1], picture[$0, size.height - 2]] }
                + (0..<size.height).flatMap { [picture[1, $0], picture[size.width - 2, $0]] }
            #expect(edge.allSatisfy { $0.max() < 8 }, "\(phase)")
        }
    }
}
