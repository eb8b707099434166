// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit

/// Decides whether a service makes progress, by its state at two moments. Pure: it has no clock.
///
/// The service makes progress if each series that runs does: its camera delivers frames, rests until a slot or is being
/// recovered, and no slot of it is overdue. A series that waits, is paused, is stopped or has ended needs none.
package struct ServiceVitality: Sendable {
    private var earlier: [String: Pulse] = [:]

    package init() {}

    /// Returns the IDs of the series that made no progress since the last call.
    ///
    /// - Parameter time: How long a slot may be overdue.
    package mutating func stuck(_ series: [SeriesStatus], at now: ClockTime, within time: Duration) -> [String] {
        let running = series.filter { $0.state == .running }
        let stuck = running.filter { series in
            guard let pulse = series.pulse else { return false }
            let isSilent = earlier[series.id].map { !pulse.hasMoved(since: $0, at: now) } ?? false
            let isOverdue = series.health.state == .delivering && series.nextSlot.map { $0.due + time < now } ?? false
            return isSilent || isOverdue
        }
        earlier = Dictionary(running.compactMap { series in series.pulse.map { (series.id, $0) } }) { $1 }
        return stuck.map(\.id)
    }
}

extension ServiceStatus {
    /// The state in one line, for `systemctl status`: `2 cameras, 3 series: 12 pictures, 1 missed; next 12:30:00`.
    package var line: String {
        let captured = series.reduce(0) { $0 + $1.summary.captured }
        let missed = series.reduce(0) { $0 + $1.summary.missed }
        let failed = series.reduce(0) { $0 + $1.summary.failed }
        var counts = [Self.count(captured, "picture")]
        if missed > 0 { counts.append("\(missed) missed") }
        if failed > 0 { counts.append("\(failed) failed") }
        let head = "\(Self.count(cameras.count, "camera")), \(series.count) series: \(counts.joined(separator: ", "))"
        let next = series.compactMap(\.nextSlot).min { $0.due < $1.due }
        let soon = (next?.dueTime.formatted("%H:%M:%S")).map { ["next \($0)"] } ?? []
        return ([head] + (troubles.isEmpty ? soon : troubles)).joined(separator: "; ")
    }

    /// The faults without times, which would change while nothing else does.
    private var troubles: [String] {
        cameras.filter { $0.health.state == .lost }.map { "\($0.id): \($0.health.error?.message ?? "is lost")" }
            + series.compactMap { series in series.error.map { "\(series.id): \($0.summary)" } }
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
