// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor
import PipelineKit
import Testing

@testable import TerminalKit
@testable import gst_capture

@Suite struct `Keys of a preview` {
    private static let library = ["badge", "face", "palm"].map { Outline(name: $0, path: "/o/\($0).svg") }

    private static func layer(_ name: String) -> Layer {
        Layer(name, .outline(Outline(name: name, path: "/o/\(name).svg")), Placement(size: 0.5))
    }

    // The macro cannot evaluate a mutating call.
    private static func press(_ key: PreviewKey, _ desk: inout PreviewDesk) -> PreviewDesk.Answer { desk.press(key) }

    private func desk(_ overlay: [Layer] = [], library: [Outline] = library) -> PreviewDesk {
        PreviewDesk(overlay: overlay, library: library, timer: nil, interval: nil, isMirrored: false)
    }

    /// The outlines that are drawn after each press.
    private func states(_ desk: PreviewDesk, presses: Int) -> [String?] {
        var desk = desk
        return (0..<presses).map { _ in desk.press(.outline).state }
    }

    @Test func `The outline key goes through all outlines, none, and the first one again`() {
        #expect(states(desk(), presses: 5) == ["badge", "face", "palm", "none", "badge"])
    }

    @Test func `The outline key continues from the given outline`() {
        #expect(states(desk([Self.layer("face")]), presses: 4) == ["palm", "none", "badge", "face"])
    }

    @Test func `The outline key goes through the given outlines if there are several`() {
        let given = [Self.layer("palm"), Self.layer("badge")]
        #expect(desk(given).layers.prefix(2) == given[...])
        #expect(states(desk(given), presses: 4) == ["palm", "badge", "none", "palm"])
    }

    @Test func `The outline key switches an outline that is in no library on and off`() {
        #expect(states(desk([Self.layer("own")], library: []), presses: 2) == ["none", "own"])
        #expect(states(desk(library: []), presses: 2) == ["none", "none"])
    }

    @Test func `The outline key keeps the placement of the outline`() {
        var desk = desk([Self.layer("face")])
        _ = desk.press(.outline)
        #expect(desk.layers.first?.placement == Placement(size: 0.5))
    }

    @Test func `The darkened area is always outside of the current outline`() {
        let dim = Layer("dim", .dim(outside: Self.library[1]))
        var desk = desk([Self.layer("face"), dim])
        #expect(desk.layers.contains(dim))
        _ = desk.press(.outline)
        #expect(desk.layers.contains(Layer("dim", .dim(outside: Self.library[2]))))
        _ = desk.press(.outline)
        #expect(!desk.layers.contains { if case .dim = $0.content { true } else { false } })
    }

    @Test func `The ghost key has no effect before the first picture`() {
        var desk = desk()
        #expect(Self.press(.ghost, &desk).act == nil)
        #expect(Self.press(.ghost, &desk).state == "off")
    }

    @Test func `The keys for repetition and mirror switch them on and off`() {
        var desk = desk()
        #expect(Self.press(.repeat, &desk).act == .repetition(.seconds(5)))
        #expect(Self.press(.repeat, &desk).act == .repetition(nil))
        #expect(Self.press(.mirror, &desk).act == .mirror(true))
        #expect(Self.press(.mirror, &desk).act == .mirror(false))
    }

    @Test func `The timer key reports whether the timer starts or stops`() {
        var desk = desk()
        let slot = Slot(index: 0, due: .zero, cause: .trigger)
        #expect(Self.press(.timer, &desk).state == "on")
        _ = desk.handle(.countdown(slot, remaining: .seconds(3)))
        _ = desk.handle(.willCapture(Slot(index: 1, due: .zero, cause: .trigger)))
        #expect(Self.press(.timer, &desk).state == "off", "another picture ends no countdown")
        _ = desk.handle(.calledOff(slot))
        #expect(Self.press(.timer, &desk).state == "on")
        _ = desk.handle(.countdown(slot, remaining: .seconds(3)))
        _ = desk.handle(.willCapture(slot))
        #expect(Self.press(.timer, &desk).state == "on")
    }

    @Test func `The seconds of the countdown are drawn unless a given text contains them`() {
        let own = Layer("mine", .text(TextTemplate("in {countdown}")))
        func counters(_ desk: PreviewDesk) -> [String] {
            desk.layers.compactMap { layer in
                if case .text(let text) = layer.content, text.source.contains("{countdown}") { layer.name } else { nil }
            }
        }
        #expect(counters(desk()) == ["countdown"])
        #expect(counters(desk([own])) == ["mine"])
    }

    @Test func `The help key shows and hides the list of keys`() {
        var desk = desk()
        let before = desk.layers
        #expect(Self.press(.help, &desk).act == .draw(desk.layers))
        #expect(desk.layers.count == before.count + 1)
        _ = desk.press(.help)
        #expect(desk.layers == before)
    }
}

@Suite struct `Typed keys` {
    /// The keys of parts that arrive one after the other, without a pause before the end.
    private func keys(_ parts: String...) -> [PreviewKey] {
        var typed = TypedKeys<PreviewKey>()
        return parts.flatMap { typed.add($0.utf8) } + typed.pause()
    }

    @Test func `Letters are keys in both cases, and so are the space and the question mark`() {
        #expect(
            keys(" dDrRoOgGmMhH?qQ").map(\.rawValue) == [
                "still", "timer", "timer", "repeat", "repeat", "outline", "outline", "ghost", "ghost", "mirror",
                "mirror",
                "help", "help", "help", "quit", "quit",
            ])
    }

    @Test func `Esc quits, and the sequences of arrows and function keys do not`() {
        #expect(keys("\u{1B}") == [.quit])
        #expect(keys("\u{1B}[A\u{1B}[15~\u{1B}OP\u{1B}[1;5D").isEmpty)
        #expect(keys("\u{1B}[A ") == [.still])
        #expect(keys(" \u{1B}") == [.still, .quit])
        // Alt and a letter.
        #expect(keys("\u{1B}d").isEmpty)
    }

    @Test func `The bytes of a key can arrive in parts`() {
        #expect(keys("\u{1B}", "[A").isEmpty)
        #expect(keys("\u{1B}[", "1;", "5D", " ") == [.still])
        #expect(keys("\u{1B}", "OP").isEmpty)
        var typed = TypedKeys<SessionStroke>()
        #expect(typed.add("\u{1B}".utf8).isEmpty && typed.isIncomplete)
        #expect(typed.add("[".utf8).isEmpty && typed.isIncomplete)
        #expect(typed.add("C".utf8) == [.move(1)] && !typed.isIncomplete)
    }

    @Test func `An incomplete sequence is dropped after a pause`() {
        var typed = TypedKeys<PreviewKey>()
        #expect(typed.add("\u{1B}".utf8) == [] && typed.pause() == [.quit])
        #expect(typed.add("[A".utf8) == [] && typed.pause() == [])
        #expect(typed.add("\u{1B}[".utf8) == [] && typed.pause() == [])
        #expect(typed.add(" ".utf8) == [.still])
    }

    @Test func `All other bytes are ignored`() {
        var generator = SystemRandomNumberGenerator()
        #expect(keys("äöü123\r\n\t").isEmpty)
        for _ in 0..<500 {
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var typed = TypedKeys<PreviewKey>()
            _ = typed.add(bytes)
        }
    }

    @Test(
        arguments: [
            ("space", PreviewKey.still), ("d", .timer), ("D", .timer), ("Escape", .quit), ("q", .quit), ("F1", .help),
            ("question", .help), ("m", .mirror),
        ])
    func `The keys of a window have the names of X`(name: String, key: PreviewKey) {
        #expect(PreviewKey(windowKey: name) == key)
    }

    @Test(arguments: ["", "Shift_L", "dd", "ä", "Return", " ", "\u{0}"])
    func `Keys of a window without a function are ignored`(name: String) {
        #expect(PreviewKey(windowKey: name) == nil || name == " ")
    }
}
