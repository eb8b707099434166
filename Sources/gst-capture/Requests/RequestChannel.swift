// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch

/// The way on which programs send requests: `--control`.
enum RequestChannel: Sendable {
    /// Standard input. Answers are on standard output, among the events.
    case standardInput
    /// A Unix socket for several programs. Each gets the answers to its own requests, and all events.
    case socket(RequestSocket)

    /// The lines with requests as they arrive, for one caller, who releases each after its answer.
    var lines: AsyncStream<RequestLine> {
        switch self {
        case .standardInput: RequestLines.lines()
        case .socket(let socket): socket.lines
        }
    }

    /// Sends the last lines, and removes the socket. It blocks for two seconds at most.
    func close() { if case .socket(let socket) = self { socket.close() } }
}

/// A line of a program, and the way back to it.
struct RequestLine: Sendable {
    /// The text; an error for a line that is too long, or not UTF-8.
    let text: Result<String, CaptureError>
    /// The program at a socket; `nil` for the one at standard input.
    let client: RequestClient?
    /// The lines of the program that may be read before an answer.
    private let room: DispatchSemaphore

    init(_ text: Result<String, CaptureError>, from client: RequestClient?, _ room: DispatchSemaphore) {
        (self.text, self.client, self.room) = (text, client, room)
    }

    /// Allows another line to be read.
    func release() { room.signal() }
}
