// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import TerminalKit

/// Prints events for programs, as one JSON object per line. ``CaptureHelp/json`` lists the events of a capture; the
/// help of `preview` adds those of a preview. Names stay the same between releases, and new ones may be added.
///
/// Each object begins with `event`, its name, and `at`, a time in ISO 8601: when the picture was captured for
/// `captured`, and when the line was made for all other events.
struct JSONEventPrinter: EventPrinter {
    let stream: StandardStream

    func show(_ event: CaptureEvent) {
        guard let line = Self.line(event) else { return }
        emit(line)
    }

    /// Prints an event, and sends it to the programs at the socket of `--control`.
    private func emit(_ event: JSONValue) {
        stream.line(event.text)
        RequestSocket.broadcast(event.text)
    }

    func report(_ remark: Remark) {
        switch remark {
        case .notice(let notice): emit(Self.event("notice", notice.members))
        case .line: break
        case .film(let film):
            let members: KeyValuePairs<String, JSONValue?> = [
                "file": .string(film.path), "frames": film.frameCount.map(JSONValue.integer),
                "lacks": film.droppedCount.map(JSONValue.integer),
                "duration_ms": film.duration.map(JSONValue.milliseconds),
                "bytes": film.byteCount.map(JSONValue.integer),
            ]
            emit(Self.event("film", members))
        case .answer(let answer): stream.line(answer.text)
        case .key(let key, let answer):
            let members: KeyValuePairs<String, JSONValue?> = [
                "key": .string(key.rawValue), "state": .optional(answer.state), "message": .string(answer.message),
            ]
            emit(Self.event("key", members))
        case .error(let error):
            emit(Self.event("error", ["error": error.json]))
            // Programs read errors among the events; people read them on standard error.
            if stream == .output { Console().report(error) }
        }
    }

    /// Returns the object for an event; `nil` for events that are not printed.
    static func line(_ event: CaptureEvent) -> JSONValue? { event.json }

    /// Returns an event with this name.
    static func event(_ name: String, _ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .event(name, members)
    }
}
