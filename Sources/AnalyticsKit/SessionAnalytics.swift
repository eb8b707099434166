// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import SessionKit

/// Turns the events of one run of a session into product events. Pure: the caller reads the clocks.
package struct SessionAnalytics {
    private let session: String
    /// A random name, which appears nowhere else.
    private let run: String
    private let description: SessionDescription

    private var start: ClockTime?
    private var stageStart: ClockTime?
    /// The last page of the tutorial that was shown, from 0; `nil` outside of the tutorial.
    private var page: Int?
    /// The stages that were complete at least once, and were not begun again since.
    private var complete: Set<String> = []
    private var (pictures, retakes, aborts) = (0, 0, 0)

    package init(session: String, run: String, _ description: SessionDescription) {
        (self.session, self.run, self.description) = (session, run, description)
    }

    /// Returns a random name of a run.
    package static func newRun() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36)
    }

    /// The type of a product event and its details.
    private typealias Entry = (type: String, details: KeyValuePairs<String, JSONValue?>)

    /// Returns the product events of an event of the session, in their order.
    package mutating func record(_ event: SessionEvent, at now: ClockTime, _ time: WallTime) -> [ProductEvent] {
        entries(of: event, at: now).map { entry in
            let own = entry.details.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
            return ProductEvent(
                type: entry.type, time: time,
                data: [
                    JSONValue.Member(name: "session", value: .string(session)),
                    JSONValue.Member(name: "run", value: .string(run)),
                ] + own)
        }
    }

    private mutating func entries(of event: SessionEvent, at now: ClockTime) -> [Entry] {
        switch event {
        case .phase(let next): return enter(next, at: now)
        case .stage(let index, let stage):
            stageStart = now
            return endTutorial() + [("stage.started", ["stage": .string(stage.name), "number": .integer(index + 1)])]
        case .captured(let still, _):
            pictures += 1
            let isRetake = complete.remove(still.stage) != nil
            if isRetake { retakes += 1 }
            return [
                (
                    isRetake ? "picture.retaken" : "picture.captured",
                    ["stage": .string(still.stage), "origin": .string(still.origin.rawValue)]
                )
            ]
        case .stageDone(let index):
            complete.insert(description.stages[index].name)
            return [("stage.completed", ["stage": name(index), "duration_ms": span(since: stageStart, now)])]
        case .skipped(let index): return [("stage.skipped", ["stage": name(index)])]
        case .aborted(let index, let abort, _):
            aborts += 1
            return [
                (
                    "countdown.aborted",
                    [
                        "stage": name(index), "reason": .string(Self.reason(abort)),
                        "gate": abort.gate.map { .string($0.rawValue) },
                    ]
                )
            ]
        case .failed(let index, let error):
            return [("picture.failed", ["stage": name(index), "code": .string(error.code.description)])]
        case .lost(let error, _): return [("camera.lost", ["code": .string(error.code.description)])]
        case .recovered: return [("camera.recovered", [:])]
        case .finished(let outcome): return [end(outcome, at: now)]
        default: return []
        }
    }

    /// Returns the events of a phase that begins, and of the tutorial that it ends.
    private mutating func enter(_ next: SessionPhase, at now: ClockTime) -> [Entry] {
        var entries: [Entry] = []
        if start == nil {
            start = now
            entries.append(("session.opened", ["stages": .integer(description.stages.count)]))
        }
        if next.name != .tutorial {
            entries += endTutorial()
        } else {
            if page == nil { entries.append(("tutorial.started", ["pages": .integer(description.tutorial.count)])) }
            page = next.page ?? 0
        }
        switch next.name {
        case .counting: entries.append(("countdown.started", ["stage": next.stage.map(name)]))
        case .review: entries.append(("review.started", ["duration_ms": span(since: start, now)]))
        default: break
        }
        return entries
    }

    /// Returns the event of a tutorial that ends; none outside of one.
    private mutating func endTutorial() -> [Entry] {
        guard let last = page else { return [] }
        page = nil
        let isWhole = last + 1 >= description.tutorial.count
        return [(isWhole ? "tutorial.completed" : "tutorial.skipped", ["pages_seen": .integer(last + 1)])]
    }

    private func end(_ outcome: SessionOutcome, at now: ClockTime) -> Entry {
        var code: JSONValue?
        let type: String
        switch outcome.ending {
        case .accepted: type = "session.accepted"
        case .cancelled: type = "session.cancelled"
        case .left: type = "session.left"
        case .failed(let error):
            type = "session.failed"
            code = .string(error.code.description)
        }
        return (
            type,
            [
                "duration_ms": span(since: start, now), "pictures": .integer(pictures), "retakes": .integer(retakes),
                "aborts": .integer(aborts), "skipped": .integer(outcome.skipped.count), "code": code,
            ]
        )
    }

    private static func reason(_ abort: SessionAbort) -> String {
        switch abort.code {
        case .requested: "requested"
        case .gateTimeout: "timeout"
        case .gateFailed: abort.gate == .steady ? "shake" : "gate"
        }
    }

    private func name(_ stage: Int) -> JSONValue { .string(description.stages[stage].name) }

    private func span(since start: ClockTime?, _ now: ClockTime) -> JSONValue? {
        start.map { .integer(Int((now - $0).nanoseconds / 1_000_000)) }
    }
}
