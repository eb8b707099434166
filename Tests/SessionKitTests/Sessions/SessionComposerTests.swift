// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import OverlayCompositor
import SystemBase
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite struct `The view of a session` {
    private let session: SessionDescription
    private let composer: SessionComposer

    init() throws {
        session = try SessionFile(path: ShippedSessions.folder + "/avatar.yaml").session
        composer = SessionComposer(session, outlines: Self.outlines, on: PreviewSize(width: 1280, height: 720))
    }

    private static let outlines = Dictionary(
        uniqueKeysWithValues: ["body-front", "body-side", "face"].map { ($0, Outline(name: $0, path: "\($0).svg")) })

    private func scene(_ phase: SessionMachine.Phase) -> SessionScene {
        var scene = SessionScene(phase, SessionProgress(session))
        scene.hasKeys = true
        return scene
    }

    private func live(_ scene: SessionScene) throws -> (layers: [Layer], values: [String: String]) {
        guard case .live(let layers, let values) = composer.view(scene) else { throw NoSuchView() }
        return (layers, values)
    }

    private func page(_ scene: SessionScene, _ composer: SessionComposer? = nil) throws -> [Layer] {
        guard case .page(let layers, _) = (composer ?? self.composer).view(scene) else { throw NoSuchView() }
        return layers
    }

    private struct NoSuchView: Error {}

    // MARK: Over the frames

    @Test func `The live view has the outline, the name and the prompt of the stage`() throws {
        for (stage, (outline, label, prompt)) in [
            ("body-front", "Front · 1 of 4", "Look into the camera"),
            ("body-side", "Side · 2 of 4", "Turn to the left"),
            (nil, "Free · 3 of 4", "Now as you like"),
            ("face", "Face · 4 of 4", "Come closer and look into the camera"),
        ].enumerated() {
            let (layers, values) = try live(scene(.armed(stage: stage, .trigger)))
            let shown = layers.compactMap { if case .outline(let outline) = $0.content { outline.name } else { nil } }
            #expect(shown == [outline].compactMap { $0 })
            #expect(values["session-label"] == label && values["session-prompt"] == prompt)
            #expect(values["session-countdown"] == "" && values["session-hint"] == "")
        }
    }

    @Test func `A clip shows a red mark with its remaining time, and space stops it`() throws {
        var scene = scene(.recording(stage: 0, picture: 1, end: .zero))
        scene.remaining = .seconds(5)
        let (layers, values) = try live(scene)
        #expect(values["session-recording"] == "● 0:05" && values["session-keys"]?.hasPrefix("space stop · x") == true)
        let mark = try #require(layers.first { $0.name == "session-recording" })
        #expect(mark.style.color == Color(red: 1, green: 0.25, blue: 0.2))
        #expect(try live(self.scene(.armed(stage: 0, .trigger))).values["session-recording"] == "")
    }

    @Test func `The review and the finished stage show the length of a clip`() throws {
        var scene = scene(.review)
        scene.progress.stages[0].pictures = [SessionPicture(number: 1, camera: .front)]
        (scene.files, scene.durations) = ([1: "/a.jpg"], [1: .seconds(65)])
        #expect(try page(scene).contains { $0.content == .text(TextTemplate(verbatim: "1 · Front · 1:05")) })
        scene.phase = .stageDone(stage: 0, until: .zero)
        #expect(try page(scene).contains { $0.content == .text(TextTemplate(verbatim: "Front · 1:05")) })
    }

    @Test func `Layers stay equal when only their values change`() throws {
        var scene = scene(.counting(stage: 0, zero: .zero))
        scene.countdown = "5"
        let before = try live(scene)
        scene.countdown = "4"
        scene.hints = ["hold still"]
        let after = try live(scene)
        #expect(before.layers == after.layers)
        let changed = Set(before.values.keys.filter { before.values[$0] != after.values[$0] })
        #expect(changed == ["session-countdown", "session-hint"])
        #expect(Set(before.layers.map(\.name)).count == before.layers.count)
    }

    @Test func `A ghost shows the first or the previous picture`() throws {
        var session = try SessionFile(path: ShippedSessions.folder + "/before-after.yaml").session
        func ghost(_ files: [Int: String]) -> String? {
            let composer = SessionComposer(session, outlines: [:], on: PreviewSize(width: 640, height: 480))
            var scene = SessionScene(.armed(stage: 1, .trigger), SessionProgress(session))
            scene.progress.stages[0].pictures = [1, 5].map { SessionPicture(number: $0, camera: nil) }
            (scene.files, scene.wholes) = (files, files)
            guard case .live(let layers, _) = composer.view(scene), case .ghost(let path)? = layers.first?.content
            else { return nil }
            return path
        }
        #expect(ghost([1: "one.jpg", 5: "five.jpg"]) == "one.jpg" && ghost([:]) == nil)
        session.stages[1].ghost = .previous
        #expect(ghost([1: "one.jpg", 5: "five.jpg"]) == "five.jpg")
    }

    @Test func `The label counts the pictures of a stage that has several`() throws {
        var session = try SessionFile(path: ShippedSessions.folder + "/product-turntable.yaml").session
        var scene = SessionScene(.armed(stage: 0, .trigger), SessionProgress(session))
        scene.progress.stages[0].pictures = [1, 2].map { SessionPicture(number: $0, camera: nil) }
        func label() -> String {
            SessionComposer(session, outlines: [:], on: PreviewSize(width: 640, height: 480)).label(of: 0, scene)
        }
        #expect(label() == "Around 3/12 · 1 of 2")
        session.stages = [session.stages[0]]
        session.stages[0].name = "all_around-it"
        #expect(label() == "All around it 3/12")
    }

    // MARK: Keys

    private static let phases: [SessionMachine.Phase] = [
        .ready, .tutorial(page: 0), .tutorial(page: 2), .switching(stage: 1, .now), .armed(stage: 0, .trigger),
        .armed(stage: 3, .trigger), .armed(stage: 3, .gates(since: .zero)), .counting(stage: 0, zero: .zero),
        .capturing(stage: 0, picture: 1, zero: .zero), .bringing(stage: 0, picture: 1),
        .stageDone(stage: 0, until: .zero), .review,
    ]

    @Test(arguments: phases) func `No key is shown that the machine refuses`(phase: SessionMachine.Phase) throws {
        var machine = SessionMachine(session, SessionMachine.Plan(usualCamera: .back))
        machine.camera = .front
        machine.hasCamera = true
        machine.progress.stages[0].pictures = [SessionPicture(number: 1, camera: nil)]
        machine.progress.stages[0].state = .done
        machine.progress.nextPicture = 2
        machine.phase = phase
        var scene = SessionScene(phase, machine.progress)
        (scene.hasKeys, scene.hasSeveralCameras, scene.hasLibrary) = (true, true, true)
        let keys = SessionKey.help(scene, session).map(\.key)
        #expect(Set(keys).count == keys.count && !keys.isEmpty)
        for key in keys {
            var machine = machine
            let isRefused = machine.handle(key.input, at: .zero).contains { effect in
                if case .emit(.refused) = effect { true } else { false }
            }
            #expect(!isRefused, "\(key)")
        }
        scene.hasKeys = false
        #expect(composer.keys(scene).isEmpty)
    }

    // MARK: Buttons

    @Test(arguments: phases, [PreviewSize(width: 1280, height: 720), PreviewSize(width: 480, height: 640)])
    func `Each key has a button within the frame, no two overlap, and a press on one finds it`(
        phase: SessionMachine.Phase, size: PreviewSize
    ) {
        let composer = SessionComposer(session, outlines: Self.outlines, on: size)
        var scene = scene(phase)
        (scene.hasSeveralCameras, scene.hasLibrary) = (true, true)
        #expect(composer.buttons(scene).isEmpty && composer.lift(scene) == 0)
        scene.hasButtons = true
        let buttons = composer.buttons(scene)
        #expect(buttons.map(\.key) == SessionKey.help(scene, session).map(\.key))
        #expect(composer.keys(scene).isEmpty)
        for (index, button) in buttons.enumerated() {
            let field = button.field
            #expect(field.x >= 0 && field.x + field.width <= composer.width && field.width >= 0.2)
            #expect(
                field.y + field.height <= composer.height && field.y >= composer.height - composer.lift(scene) - 0.05)
            for other in buttons[..<index].map(\.field) {
                #expect(field.x >= other.x + other.width || field.y >= other.y + other.height)
            }
            let center = UnitPoint(
                (field.x + field.width / 2) / composer.width, (field.y + field.height / 2) / composer.height)
            #expect(composer.button(at: center, scene)?.key == button.key)
        }
        #expect(composer.button(at: UnitPoint(0.5, 0.3), scene) == nil)
        scene.showsHelp = true
        #expect(composer.buttons(scene).isEmpty)
    }

    @Test
    func `A press on a tile of the review finds it, and on a picture that is shown alone its own`() throws {
        var scene = reviewed()
        scene.hasButtons = true
        for layer in try page(scene) where layer.name.hasPrefix("session-picture-") {
            let tile = composer.tile(at: try #require(layer.placement.position), scene)
            #expect(tile.map { "session-picture-\($0 + 1)" } == layer.name)
        }
        #expect(composer.tile(at: UnitPoint(0.5, 0.02), scene) == nil)
        scene.closeUp = 2
        #expect(composer.tile(at: UnitPoint(0.5, 0.5), scene) == 2)
    }

    // MARK: Pages

    @Test func `A page of the tutorial has its picture, its text, its number and the keys`() throws {
        let layers = try page(scene(.tutorial(page: 1)))
        #expect(layers.map(\.name) == ["session-picture", "session-text", "session-footer"])
        #expect(texts(layers).last == "2 of 3 · space next · s skip · q cancel")
    }

    @Test func `The review has a tile for each picture, and an empty one for a skipped stage`() throws {
        var scene = reviewed()
        let layers = try page(scene)
        #expect(layers.count { if case .panel = $0.content { true } else { false } } == 4)
        #expect(images(layers) == ["1.jpg", "2.jpg", "3.jpg"])
        #expect(Set(texts(layers)).isSuperset(of: ["1 · Front", "2 · Side", "3 · Free", "4 · Face", "skipped"]))
        scene.closeUp = 1
        #expect(try images(page(scene)) == ["2.jpg"] && texts(page(scene)).contains("2 · Side"))
        // A skipped stage has no picture to show.
        scene.closeUp = 3
        #expect(try page(scene) == layers)
    }

    @Test func `A finished stage shows its newest picture, even if the newest is not the last in order`() throws {
        var scene = scene(.stageDone(stage: 0, until: .zero))
        // The first of three pictures was retaken alone.
        scene.progress.stages[0].pictures = [4, 2, 3].map { SessionPicture(number: $0, camera: nil) }
        for number in 2...4 { scene.files[number] = "\(number).jpg" }
        #expect(try images(page(scene)) == ["4.jpg"])
    }

    @Test func `A page of the review has at most 24 tiles`() throws {
        var session = session
        session.stages = [SessionStage(name: "all")]
        var scene = SessionScene(.review, SessionProgress(session))
        scene.progress.stages[0].pictures = (1...1000).map { SessionPicture(number: $0, camera: nil) }
        let composer = SessionComposer(session, outlines: [:], on: PreviewSize(width: 640, height: 480))
        let layers = try page(scene, composer)
        #expect(layers.count { if case .panel = $0.content { true } else { false } } == 24)
        #expect(texts(layers).contains("Four pictures of you · 1 of 42"))
    }

    @Test func `Every tile of the review can be reached page by page`() throws {
        var session = session
        session.stages = [SessionStage(name: "all")]
        session.stages[0].pictures = 50
        var scene = SessionScene(.review, SessionProgress(session))
        scene.progress.stages[0].pictures = (1...50).map { SessionPicture(number: $0, camera: nil) }
        for number in 1...50 { scene.files[number] = "\(number).jpg" }
        let composer = SessionComposer(session, outlines: [:], on: PreviewSize(width: 640, height: 480))
        var seen: [String] = []
        for first in [0, 24, 48] {
            scene.selection = first
            seen += images(try page(scene, composer))
        }
        #expect(seen == (1...50).map { "\($0).jpg" })
    }

    @Test func `The help of the abort key says which part restarts or is deleted`() {
        var session = session
        var scene = scene(.counting(stage: 0, zero: .zero))
        scene.hasKeys = true
        session.abort = .restart
        #expect(SessionKey.help(scene, session).first?.words == "start over")
        scene.abort = .retakeStage
        #expect(SessionKey.help(scene, session).first?.words == "redo this stage")
        scene.abort = .cancel
        scene.progress.stages[0].pictures = [SessionPicture(number: 1, camera: nil)]
        #expect(SessionKey.help(scene, session).first?.words == "delete all")
        session.keepsAborted = true
        #expect(SessionKey.help(scene, session).first?.words == "end")
    }

    @Test func `The help page has all keys`() throws {
        var scene = scene(.ready)
        scene.showsHelp = true
        let text = try texts(page(scene)).joined(separator: "\n")
        for (keys, words) in SessionKey.reference { #expect(text.contains("\(keys): \(words)")) }
    }

    @Test func `An accepted session shows thanks, and a stage without its camera shows that it waits`() throws {
        #expect(try texts(page(scene(.accepted))).contains("Thank you"))
        let waiting = try texts(page(scene(.switching(stage: 1, .now))))
        #expect(waiting.contains("Waiting for the camera …") && waiting.contains("Turn to the left"))
    }

    private func reviewed() -> SessionScene {
        var scene = scene(.review)
        for number in 1...3 {
            scene.progress.stages[number - 1].pictures = [SessionPicture(number: number, camera: nil)]
            (scene.files[number], scene.wholes[number]) = ("\(number).jpg", "\(number).jpg")
        }
        scene.progress.stages[3].state = .skipped
        return scene
    }

    private func images(_ layers: [Layer]) -> [String] {
        layers.compactMap { if case .image(let path) = $0.content { path } else { nil } }
    }

    private func texts(_ layers: [Layer]) -> [String] {
        layers.compactMap { if case .text(let template) = $0.content { template.source } else { nil } }
    }
}

extension SessionKey {
    /// The input of the machine for this key.
    fileprivate var input: SessionMachine.Input {
        switch self {
        case .go: .trigger
        case .skip: .skip
        case .abort: .abort
        case .cancel: .cancel
        case .switchCamera: .switchCamera
        case .bring: .bring()
        case .retake, .retakeStage: .retake(stage: 0)
        case .accept: .accept
        case .discard: .discard
        }
    }
}
