// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// Prints events, and the answers to a program's requests, as JSON, one object per line.
///
/// The help of `session run` lists the events, and docs/sessions.md the members of some.
struct SessionJSONPrinter: SessionPrinter {
    let session: SessionDescription
    private let stream = StandardStream.output

    init(_ session: SessionDescription) { self.session = session }

    func show(_ numbered: NumberedSessionEvent) {
        let line = numbered.event.json(of: session).numbered(numbered.number).text
        stream.line(line)
        RequestSocket.broadcast(line)
    }

    func report(_ error: CaptureError) { JSONEventPrinter(stream: stream).report(.error(error)) }

    func report(_ notice: Notice) { JSONEventPrinter(stream: stream).report(.notice(notice)) }

    /// Returns the answer to a request.
    func answer(_ answer: SessionController.Answer, to request: SessionRequest) -> JSONValue {
        switch answer {
        case .done: .done(request.name, request.id)
        case .refused(let reason, let explanation):
            .refusal(request.name, request.id, reason: reason, explanation)
        }
    }

    /// Returns the answer to a request for the state.
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest) -> JSONValue {
        .event("state", snapshot.members(of: session, id: request.id))
    }

    /// Prints an answer, or sends it to the program at a socket.
    func print(_ answer: JSONValue, to line: RequestLine) {
        if let client = line.client { client.send(answer.text) } else { stream.line(answer.text) }
    }
}

extension JSONValue {
    /// Returns the object of an event with the event's number.
    fileprivate func numbered(_ number: Int) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name: "seq", value: .integer(number))])
    }
}
