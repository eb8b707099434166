// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit

/// Prints events, and the answers to a program's requests, as JSON, one object per line.
///
/// The help of `session run` lists the events, and docs/sessions.md the members of some.
struct SessionJSONPrinter: SessionPrinter {
    let session: SessionDescription
    private let stream = StandardStream.output

    init(_ session: SessionDescription) { self.session = session }

    func show(_ numbered: NumberedSessionEvent) { stream.line(line(numbered.event).numbered(numbered.number).text) }

    func report(_ error: CaptureError) { JSONEventPrinter(stream: stream).report(.error(error)) }

    func report(_ notice: Notice) { JSONEventPrinter(stream: stream).report(.notice(notice)) }

    /// Prints the answer to a request.
    func answer(_ answer: SessionController.Answer, to request: SessionRequest) {
        switch answer {
        case .done:
            stream.line(Self.event("ok", ["do": .string(request.name), "id": request.id.map(JSONValue.string)]).text)
        case .refused(let reason, let explanation):
            let members: KeyValuePairs<String, JSONValue?> = [
                "do": .string(request.name), "id": request.id.map(JSONValue.string), "reason": .string(reason),
                "message": .string(explanation),
            ]
            stream.line(Self.event("error", members).text)
        }
    }

    /// Prints the answer to a request that cannot be read.
    func answer(_ error: CaptureError) {
        stream.line(
            Self.event(
                "error", ["reason": .string("bad-request"), "message": .string(error.message), "error": error.json]
            ).text)
    }

    /// Prints the answer to a request for the state.
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest) {
        let members: KeyValuePairs<String, JSONValue?> = [
            "seq": .integer(snapshot.lastEvent), "id": request.id.map(JSONValue.string),
            "phase": .string(snapshot.phase.name.rawValue), "stage": snapshot.phase.stage.map(name),
            "page": snapshot.phase.page.map(JSONValue.integer), "folder": .optional(snapshot.folder),
            "camera": .optional(snapshot.camera), "role": snapshot.role.map { .string($0.rawValue) },
            "ready": .bool(snapshot.isCameraReady),
            "stages": .array(snapshot.progress.stages.map(Self.stage)),
            "pictures": .array(snapshot.pictures.map(\.json)),
            "set_aside": .array(snapshot.progress.setAside.map { .integer($0.number) }),
        ]
        stream.line(Self.event("state", members).text)
    }

    private static func stage(_ stage: StageProgress) -> JSONValue {
        .object([
            "name": .string(stage.name), "state": .string(stage.state.rawValue),
            "pictures": .array(stage.pictures.map { .integer($0.number) }),
        ])
    }

    /// Returns the object for an event.
    func line(_ event: SessionEvent) -> JSONValue {
        switch event {
        case .opening(let camera, let role, let pipeline):
            Self.event(
                "opening",
                ["camera": .string(camera), "role": .string(role.rawValue), "pipeline": .string(pipeline)])
        case .camera(let camera, let role):
            Self.event("camera", ["camera": .string(camera), "role": .string(role.rawValue)])
        case .previewing(let width, let height):
            Self.event("previewing", ["width": .integer(width), "height": .integer(height)])
        case .key(let name): Self.event("key", ["key": .string(name)])
        case .press: Self.event("press", [:])
        case .previewEnded(let error): Self.event("preview-ended", ["error": error?.json ?? .null])
        case .phase(let phase):
            Self.event(
                "phase",
                [
                    "phase": .string(phase.name.rawValue), "stage": phase.stage.map(name),
                    "page": phase.page.map(JSONValue.integer),
                ])
        case .stage(let index, let stage):
            Self.event(
                "stage",
                [
                    "stage": .string(stage.name), "number": .integer(index + 1),
                    "of": .integer(session.stages.count), "prompt": .string(stage.prompt),
                    "outline": .optional(stage.outline),
                ])
        case .countdown(let stage, let remaining):
            Self.event("countdown", ["stage": name(stage), "remaining_ms": .milliseconds(remaining)])
        case .gate(let finding): Self.event("gate", finding.members)
        case .captured(let still, let folder):
            Self.event("captured", ["picture": still.json, "folder": .optional(folder)])
        case .removed(let numbers, let files):
            Self.event(
                "removed",
                ["pictures": .array(numbers.map(JSONValue.integer)), "files": .array(files.map(JSONValue.string))])
        case .setAside(let numbers):
            Self.event("set-aside", ["pictures": .array(numbers.map(JSONValue.integer))])
        case .confirmation(let words): Self.event("confirmation", ["message": .string(words)])
        case .review(let stills): Self.event("review", ["pictures": .array(stills.map { .integer($0.number) })])
        case .stageDone(let stage): Self.event("stage-done", ["stage": name(stage)])
        case .skipped(let stage): Self.event("skipped", ["stage": name(stage)])
        case .aborted(let stage, let abort, let policy):
            Self.event(
                "aborted",
                [
                    "stage": name(stage), "reason": .string(abort.code.rawValue),
                    "gate": abort.gate.map { .string($0.rawValue) }, "message": .string(abort.message),
                    "then": .string(policy.rawValue),
                ])
        case .failed(let stage, let error):
            Self.event("failed", ["stage": name(stage), "error": error.json])
        case .refused(let reason, let explanation):
            Self.event("refused", ["reason": .string(reason), "message": .string(explanation)])
        case .lost(let error): Self.event("lost", ["error": error.json])
        case .recovered: Self.event("recovered", [:])
        case .notice(let notice): Self.event("notice", notice.members)
        case .finished(let outcome): Self.event("finished", outcome.members)
        }
    }

    private func name(_ stage: Int) -> JSONValue { .string(session.stages[stage].name) }

    private static func event(_ name: String, _ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        JSONEventPrinter.event(name, members)
    }
}

extension GateFinding {
    fileprivate var members: KeyValuePairs<String, JSONValue?> {
        [
            "gate": .string(kind.rawValue), "holds": .bool(holds), "score": score.score.map(JSONValue.number),
            "threshold": .number(score.threshold), "hint": .optional(hint?.rawValue), "off": .bool(isOff),
            "reason": .optional(reason),
        ]
    }
}

extension SessionOutcome {
    fileprivate var members: KeyValuePairs<String, JSONValue?> {
        [
            "ending": .string(name), "folder": .optional(folder), "pictures": .array(pictures.map(\.still.json)),
            "skipped": .array(skipped.map(JSONValue.string)), "error": failure?.json,
        ]
    }

    private var name: String {
        switch ending {
        case .accepted: "accepted"
        case .cancelled: "cancelled"
        case .left: "left"
        case .failed: "failed"
        }
    }

    private var failure: CaptureError? {
        if case .failed(let error) = ending { error } else { nil }
    }
}

extension JSONValue {
    /// Returns the object of an event with the event's number.
    fileprivate func numbered(_ number: Int) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name: "seq", value: .integer(number))])
    }
}
