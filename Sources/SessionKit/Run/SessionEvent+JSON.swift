// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit

// The events and the state of a session as JSON. docs/sessions.md describes the members.

extension SessionEvent {
    /// Returns the event as an object.
    package func json(of session: SessionDescription) -> JSONValue {
        func name(_ stage: Int) -> JSONValue { .string(session.stages[stage].name) }
        return switch self {
        case .opening(let camera, let role, let pipeline):
            .event(
                "opening",
                ["camera": .string(camera), "role": .string(role.rawValue), "pipeline": .string(pipeline)])
        case .camera(let camera, let role):
            .event("camera", ["camera": .string(camera), "role": .string(role.rawValue)])
        case .previewing(let width, let height):
            .event("previewing", ["width": .integer(width), "height": .integer(height)])
        case .key(let name): .event("key", ["key": .string(name)])
        case .press: .event("press", [:])
        case .previewEnded(let error): .event("preview-ended", ["error": error?.json ?? .null])
        case .phase(let phase):
            .event(
                "phase",
                [
                    "phase": .string(phase.name.rawValue), "stage": phase.stage.map(name),
                    "page": phase.page.map(JSONValue.integer),
                ])
        case .stage(let index, let stage):
            .event(
                "stage",
                [
                    "stage": .string(stage.name), "number": .integer(index + 1),
                    "of": .integer(session.stages.count), "prompt": .string(stage.prompt),
                    "outline": .optional(stage.outline),
                ])
        case .countdown(let stage, let remaining):
            .event("countdown", ["stage": name(stage), "remaining_ms": .milliseconds(remaining)])
        case .recording(let stage, let remaining):
            .event("recording", ["stage": name(stage), "remaining_ms": .milliseconds(remaining)])
        case .recorder(let recording, let role):
            .event(
                "recorder",
                [
                    "role": .string(role.rawValue), "recording": .bool(recording.isOn),
                    "microphone": .optional(recording.microphone),
                ])
        case .gate(let finding): .event("gate", finding.members)
        case .captured(let still, let folder):
            .event("captured", ["picture": still.json, "folder": .optional(folder)])
        case .removed(let numbers, let files):
            .event(
                "removed",
                ["pictures": .array(numbers.map(JSONValue.integer)), "files": .array(files.map(JSONValue.string))])
        case .setAside(let numbers):
            .event("set-aside", ["pictures": .array(numbers.map(JSONValue.integer))])
        case .confirmation(let words): .event("confirmation", ["message": .string(words)])
        case .review(let stills): .event("review", ["pictures": .array(stills.map { .integer($0.number) })])
        case .stageDone(let stage): .event("stage-done", ["stage": name(stage)])
        case .skipped(let stage): .event("skipped", ["stage": name(stage)])
        case .aborted(let stage, let abort, let policy):
            .event(
                "aborted",
                [
                    "stage": name(stage), "reason": .string(abort.code.rawValue),
                    "gate": abort.gate.map { .string($0.rawValue) }, "message": .string(abort.message),
                    "then": .string(policy.rawValue),
                ])
        case .failed(let stage, let error):
            .event("failed", ["stage": name(stage), "error": error.json])
        case .filled(let values): .event("filled", ["fields": .object(values.members)])
        case .refused(let reason, let explanation):
            .event("refused", ["reason": .string(reason), "message": .string(explanation)])
        case .lost(let error, let role): .event("lost", ["role": .string(role.rawValue), "error": error.json])
        case .recovered(let role): .event("recovered", ["role": .string(role.rawValue)])
        case .notice(let notice): .event("notice", notice.members)
        case .finished(let outcome): .event("finished", outcome.members)
        }
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
            "skipped": .array(skipped.map(JSONValue.string)),
            "results": results.isEmpty ? nil : .array(results.map(\.json)), "error": failure?.json,
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

extension SessionSnapshot {
    /// The members of the state of a session.
    ///
    /// - Parameter id: The program's name for the request that the state answers.
    package func members(of session: SessionDescription, id: String? = nil) -> KeyValuePairs<String, JSONValue?> {
        [
            "seq": .integer(lastEvent), "id": id.map(JSONValue.string), "phase": .string(phase.name.rawValue),
            "stage": phase.stage.map { .string(session.stages[$0].name) }, "page": phase.page.map(JSONValue.integer),
            "folder": .optional(folder), "camera": .optional(camera), "role": role.map { .string($0.rawValue) },
            "ready": .bool(isCameraReady), "stages": .array(progress.stages.map(\.json)),
            "pictures": .array(pictures.map(\.json)),
            "set_aside": .array(progress.setAside.map { .integer($0.number) }),
            "fields": progress.form.isEmpty ? nil : .object(progress.form.members),
        ]
    }
}

extension StageProgress {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "state": .string(state.rawValue),
            "pictures": .array(pictures.map { .integer($0.number) }),
        ])
    }
}
