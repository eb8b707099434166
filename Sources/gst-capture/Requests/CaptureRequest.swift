// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// A request that a program sends to a timelapse or a preview: a JSON object on one line, such as
/// `{"do": "capture", "id": 7}`.
struct CaptureRequest: Sendable, Hashable {
    /// The kinds of requests.
    enum Action: Sendable, Hashable {
        /// One picture now, or after a delay.
        case capture(after: Duration?)
        /// Cancels the countdown of a delayed picture.
        case callOff
        /// One picture every interval; `nil` to end it.
        case repetition(every: Duration?)
        case mirror(Bool)
        case ghost(Bool)
        /// Shows the outline of this name; `nil` for none.
        case outline(String?)
        /// Ends after the current picture.
        case finish
        /// Ends at once.
        case stop
        case state
    }

    /// The reasons why a request is refused.
    enum Refusal: String, Error, Hashable {
        case noPreview = "no-preview"
        case counting
        case notCounting = "not-counting"
        case noPicture = "no-picture"
        case noOutline = "no-outline"

        /// The reason in words.
        var explanation: String {
            switch self {
            case .noPreview: "a timelapse has no preview: send only capture, finish, stop and state"
            case .counting: "a countdown is running: send call-off to cancel it"
            case .notCounting: "no countdown is running"
            case .noPicture: "the ghost shows the last picture, and there is none yet"
            case .noOutline: "there is no such outline: give the name of one that the preview can show"
            }
        }
    }

    let action: Action
    /// The name of the action, as it was sent.
    let name: String
    /// The program's name for the request, which the answer repeats; `nil` if the request has none.
    let id: String?

    /// The names of all actions.
    static let names = [
        "call-off", "capture", "finish", "ghost", "mirror", "outline", "repeat", "state", "stop",
    ]

    /// Reads a line.
    ///
    /// - Throws: `CaptureError` `.usage` with the mistake.
    init(line: String) throws(CaptureError) {
        do throws(CaptureError) {
            let node = try JSONNode(line, path: "request", levels: 4, mostValues: 64)
            name = try node.text("do")
            id = try node.optionalText("id")
            action = try Self.action(name, node)
        } catch {
            throw CaptureError(
                .usage, error.message, subject: "request", advice: #"send, for example, {"do": "capture"}"#)
        }
    }

    private static func action(_ name: String, _ node: JSONNode) throws(CaptureError) -> Action {
        switch name {
        case "capture": .capture(after: try duration("delay", node))
        case "call-off": .callOff
        case "repeat": .repetition(every: try duration("every", node))
        case "mirror": .mirror(try isOn(node))
        case "ghost": .ghost(try isOn(node))
        case "outline": .outline(try node.optionalText("name"))
        case "finish": .finish
        case "stop": .stop
        case "state": .state
        default: throw node.wrong("\(name.quoted) is not a request; use one of \(names.joined(separator: ", "))")
        }
    }

    private static func duration(_ key: String, _ node: JSONNode) throws(CaptureError) -> Duration? {
        guard let text = try node.optionalText(key) else { return nil }
        guard let duration = try? Duration(parsing: text), (.milliseconds(100) ... .seconds(86_400)).contains(duration)
        else { throw node.wrong("\(key) is not a duration from 100ms to 24h: \(text.quoted)") }
        return duration
    }

    private static func isOn(_ node: JSONNode) throws(CaptureError) -> Bool {
        switch try node.text("on") {
        case "true": true
        case "false": false
        case let text: throw node.wrong("on is neither true nor false: \(text.quoted)")
        }
    }
}

// MARK: - Answers

extension CaptureRequest {
    /// The answer to a request that is carried out, or refused.
    func answer(_ refusal: Refusal?) -> JSONValue {
        guard let refusal else { return .done(name, id) }
        return .refusal(name, id, reason: refusal.rawValue, refusal.explanation)
    }
}
