// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

/// A request that a program sends to a session: a JSON object on one line, such as `{"do": "capture", "id": 7}`.
package struct SessionRequest: Sendable, Hashable {
    /// A kind of request, with its values.
    package enum Action: Sendable, Hashable {
        case capture, skip, abort, cancel, switchCamera, accept, discard, leave, state
        /// The next picture of the library, or the one at a path.
        case bring(String?)
        /// A JPEG or PNG picture, moved under the outline before it is cropped.
        case upload([UInt8], CropAdjustment)
        /// Values of the session's fields.
        case fill([String: String])
        /// A stage by its name, or a single picture by its number.
        case retake(stage: String?, picture: Int?)
    }

    /// The kind of the request.
    package let action: Action
    /// The name of the action, as it was sent.
    package let name: String
    /// The program's name for the request, which the answer repeats; `nil` if the request has none.
    package let id: String?

    /// The names of all actions.
    package static let names = [
        "abort", "accept", "bring", "cancel", "capture", "discard", "fill", "leave", "retake", "skip", "state",
        "switch-camera",
    ]

    /// The longest line in bytes.
    package static let mostBytes = 16384

    /// Parses a line.
    ///
    /// - Throws: ``CaptureError`` `.usage` that names the mistake.
    package init(line: String) throws(CaptureError) {
        guard line.utf8.count <= Self.mostBytes else { throw .badRequest("is longer than \(Self.mostBytes) bytes") }
        do throws(CaptureError) {
            let node = try JSONNode(line, path: Self.subject)
            name = try node.text("do")
            id = try node.optionalText("id")
            action = try Self.action(name, node)
        } catch {
            throw .badRequest(error.message)
        }
    }

    private static func action(_ name: String, _ node: JSONNode) throws(CaptureError) -> Action {
        if let input = Action.inputs[name] { return input }
        switch name {
        case "leave": return .leave
        case "state": return .state
        case "bring": return .bring(try node.optionalText("file"))
        case "fill": return .fill(try node.object("fields").values())
        case "retake":
            let stage = try node.optionalText("stage")
            let picture = node.has("picture") ? try node.integer("picture", 1...1_000_000_000) : nil
            guard stage != nil || picture != nil else { throw node.wrong("retake needs \"stage\" or \"picture\"") }
            return .retake(stage: stage, picture: picture)
        default:
            throw node.wrong("\(name.quoted) is not a request; use one of \(names.joined(separator: ", "))")
        }
    }

    fileprivate static let subject = "request"
}

extension CaptureError {
    fileprivate static func badRequest(_ problem: String) -> CaptureError {
        CaptureError(.usage, problem, subject: SessionRequest.subject, advice: #"send, for example, {"do": "capture"}"#)
    }
}

extension SessionRequest.Action {
    /// The inputs of a running session that have no values, by their names in requests, in URLs and of buttons.
    package static let inputs: [String: Self] = [
        "capture": .capture, "skip": .skip, "abort": .abort, "cancel": .cancel, "switch-camera": .switchCamera,
        "accept": .accept, "discard": .discard,
    ]
}
