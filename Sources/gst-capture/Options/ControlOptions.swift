// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Options for a program that sends requests.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read requests of programs, one JSON object a line, from standard input or at a Unix socket; needs --json.",
            valueName: "stdin|unix:path"), completion: .list(["stdin", "unix:"]))
    var control: String?

    func validate() throws {
        guard let control, control != "stdin" else { return }
        guard let socket, !socket.isEmpty else {
            throw ValidationError("--control \"\(control)\" is not known; give stdin, or unix:PATH for a socket")
        }
    }

    /// The path of the socket; `nil` for standard input.
    fileprivate var socket: String? {
        control.flatMap { $0.hasPrefix("unix:") ? String($0.dropFirst(5)) : nil }
    }

    /// Checks the option against those for reports: answers are JSON.
    func check(_ reporting: ReportingOptions) throws {
        guard control == nil || reporting.json else {
            throw ValidationError("--control replies in JSON; add --json")
        }
    }
}

extension RequestChannel {
    /// Opens the way that the user chose; `nil` if there are no options, or they name none.
    static func open(_ options: ControlOptions?) async throws(CaptureError) -> RequestChannel? {
        guard let options, options.control != nil else { return nil }
        guard let path = options.socket else { return .standardInput }
        return .socket(try await BlockingWork.run { () throws(CaptureError) in try RequestSocket(path: path) })
    }
}
