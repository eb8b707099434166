// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor
import TerminalKit

/// Handles the keys of a preview, and decides which layers are drawn. Pure: it returns actions for the caller to
/// perform.
struct PreviewDesk: Sendable {
    /// An action that a key requests.
    enum Act: Sendable, Hashable {
        case take
        case timer(Duration)
        case repetition(Duration?)
        case mirror(Bool)
        case draw([Layer])
        case finish
    }

    /// The result of a key.
    struct Answer: Sendable, Hashable {
        let act: Act?
        /// The new state in one word, for programs; `nil` if the key has no state.
        let state: String?
        /// The action in words, for people.
        let message: String
    }

    private let timer: Duration
    private let interval: Duration
    private let base: [Layer]
    private let outlines: [Layer]
    /// The outlines that are drawn now.
    private var shown: [Layer]
    private var isMirrored: Bool
    private var isRepeating = false
    private var isCounting = false
    private var counted: Slot?
    private var hasGhost = false
    private var hasHelp = false
    private var lastPath: String?

    /// Creates the desk of a preview.
    ///
    /// - Parameters:
    ///   - overlay: The layers that the user gave.
    ///   - library: The outlines to choose from, unless the user gave several.
    ///   - timer: The time of the self-timer; `nil` for 3 seconds.
    ///   - interval: The time from picture to picture of a repetition; `nil` for 5 seconds.
    init(overlay: [Layer], library: [Outline], timer: Duration?, interval: Duration?, isMirrored: Bool) {
        self.timer = timer ?? .seconds(3)
        self.interval = interval ?? .seconds(5)
        self.isMirrored = isMirrored
        base = overlay.filter { $0.outline == nil }
        shown = overlay.filter { $0.outline != nil }
        outlines = shown.count > 1 ? shown : Self.choices(library, like: shown.first)
    }

    /// Returns all outlines, each with the placement and style of the given one.
    private static func choices(_ library: [Outline], like given: Layer?) -> [Layer] {
        let placed = library.map { outline in
            let isGiven = given?.outline?.path == outline.path
            let model = given ?? Layer(outline.name, .outline(outline))
            return isGiven ? model : Layer(outline.name, .outline(outline), model.placement, model.style)
        }
        guard let given, !placed.contains(given) else { return placed }
        return [given] + placed
    }

    /// The line that lists the keys.
    var keys: String {
        "keys: space picture, d in \(Wording.span(timer)), r every \(Wording.span(interval)), o outline, g ghost, "
            + "m mirror, h keys, q quit"
    }

    /// Handles a key.
    mutating func press(_ key: PreviewKey) -> Answer {
        switch key {
        case .still: Answer(act: .take, state: nil, message: "picture")
        case .timer: countDown()
        case .repeat: toggleRepetition()
        case .outline: showNextOutline()
        case .ghost: toggleGhost()
        case .mirror: toggleMirror()
        case .help: toggleHelp()
        case .quit: Answer(act: .finish, state: nil, message: "quit")
        }
    }

    /// Performs a program's request. Unlike a key, it names the new state.
    ///
    /// - Returns: The action to carry out; `nil` for requests that do not concern the preview.
    mutating func perform(_ action: CaptureRequest.Action) throws(CaptureRequest.Refusal) -> Act? {
        switch action {
        case .capture(nil): return .take
        case .capture(let delay?):
            guard !isCounting else { throw .counting }
            isCounting = true
            return .timer(delay)
        case .callOff:
            guard isCounting else { throw .notCounting }
            isCounting = false
            return .timer(timer)
        case .repetition(let interval):
            isRepeating = interval != nil
            return .repetition(interval)
        case .mirror(let isOn):
            isMirrored = isOn
            return .mirror(isOn)
        case .ghost(let isOn):
            guard !isOn || lastPath != nil else { throw .noPicture }
            hasGhost = isOn
            return .draw(layers)
        case .outline(let name):
            guard let name else {
                shown = []
                return .draw(layers)
            }
            guard let outline = outlines.first(where: { $0.name == name }) else { throw .noOutline }
            shown = [outline]
            return .draw(layers)
        case .finish: return .finish
        case .stop, .state: return nil
        }
    }

    /// The state of the preview, for programs.
    var json: JSONValue {
        .object([
            "outlines": .array(shown.map { .string($0.name) }), "ghost": .bool(hasGhost), "mirror": .bool(isMirrored),
            "repeating": .bool(isRepeating), "counting": .bool(isCounting),
        ])
    }

    /// Applies an event.
    ///
    /// - Returns: The layers to draw if they changed, otherwise `nil`.
    mutating func handle(_ event: CaptureEvent) -> [Layer]? {
        switch event {
        case .countdown(let slot, _) where slot.cause == .trigger: (isCounting, counted) = (true, slot)
        // A countdown shorter than a second emits no countdown event.
        case .willCapture(let slot) where slot == counted || counted == nil && slot.cause == .trigger: stopCounting()
        case .calledOff: stopCounting()
        case .captured(let still):
            lastPath = still.path ?? lastPath
            return hasGhost ? layers : nil
        default: break
        }
        return nil
    }

    // MARK: Keys

    private mutating func countDown() -> Answer {
        isCounting.toggle()
        return Answer(
            act: .timer(timer), state: isCounting ? "on" : "off",
            message: isCounting ? "picture in \(Wording.span(timer))" : "no picture")
    }

    private mutating func stopCounting() { (isCounting, counted) = (false, nil) }

    private mutating func toggleRepetition() -> Answer {
        isRepeating.toggle()
        return Answer(
            act: .repetition(isRepeating ? interval : nil), state: isRepeating ? "on" : "off",
            message: isRepeating ? "picture every \(Wording.span(interval))" : "repeat is off")
    }

    private mutating func toggleMirror() -> Answer {
        isMirrored.toggle()
        return Answer(
            act: .mirror(isMirrored), state: isMirrored ? "on" : "off", message: isMirrored ? "mirror" : "no mirror")
    }

    private mutating func showNextOutline() -> Answer {
        guard !outlines.isEmpty else {
            return Answer(act: nil, state: "none", message: "there are no outlines; see gst-capture outlines --help")
        }
        let current = shown.count == 1 ? outlines.firstIndex(of: shown[0]) : nil
        let next = current.map { $0 + 1 } ?? 0
        shown = next < outlines.count ? [outlines[next]] : []
        let name = shown.first?.name ?? "none"
        return Answer(act: .draw(layers), state: name, message: shown.isEmpty ? "no outline" : "outline \(name)")
    }

    private mutating func toggleGhost() -> Answer {
        guard hasGhost || lastPath != nil else {
            return Answer(act: nil, state: "off", message: "the ghost shows the last picture: take one first")
        }
        hasGhost.toggle()
        return Answer(
            act: .draw(layers), state: hasGhost ? "on" : "off",
            message: hasGhost ? "ghost of the last picture" : "no ghost")
    }

    private mutating func toggleHelp() -> Answer {
        hasHelp.toggle()
        return Answer(act: .draw(layers), state: hasHelp ? "on" : "off", message: keys)
    }
}

// MARK: - Layers

extension PreviewDesk {
    /// All layers that are drawn now.
    var layers: [Layer] {
        let ghost = hasGhost ? lastPath.map { Layer("ghost", .ghost(path: $0)) } : nil
        return [ghost].compactMap { $0 } + base.compactMap(following) + shown + (countsDown ? [] : [Self.countdown])
            + (hasHelp ? [Self.help] : [])
    }

    /// Returns the layer as it is drawn now: a `dim` layer darkens the outside of the current outline, and is left out
    /// without one.
    private func following(_ layer: Layer) -> Layer? {
        guard case .dim = layer.content, !outlines.isEmpty else { return layer }
        guard let outline = shown.first?.outline else { return nil }
        return Layer(layer.name, .dim(outside: outline), layer.placement, layer.style)
    }

    /// `true` if a text of the user already shows the countdown.
    private var countsDown: Bool {
        base.contains { if case .text(let text) = $0.content { text.source.contains("{countdown}") } else { false } }
    }

    private static let countdown = Layer(
        "countdown", .text(TextTemplate("{countdown}")), Placement(position: .center, size: 0.4))

    private static let help = Layer(
        "help",
        .text(
            TextTemplate(
                """
                space  picture
                d  self-timer
                r  repeat
                o  next outline
                g  ghost
                m  mirror
                h  these keys
                q  quit
                """)),
        Placement(position: UnitPoint(0, 0), size: 0.04, margin: .fraction(0.03)))
}

extension Layer {
    /// The outline that the layer draws; `nil` if it draws none.
    fileprivate var outline: Outline? { if case .outline(let outline) = content { outline } else { nil } }
}
