// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// The outbox of a service, as a broker gets it.
package struct OutboxFeed: Sendable {
    /// The targets: the present ones, then all of them after each change.
    let reports: any AsyncSequence<[TargetReport], Never> & Sendable
    /// Called after each picture of the service that may wait for a target.
    let pictureStored: @Sendable () -> Void

    package init(
        _ reports: any AsyncSequence<[TargetReport], Never> & Sendable, pictureStored: @escaping @Sendable () -> Void
    ) {
        (self.reports, self.pictureStored) = (reports, pictureStored)
    }
}

extension [TargetReport] {
    /// The pictures that wait, as an object. A picture that two targets do not have counts twice.
    var unsent: JSONValue {
        let times = compactMap(\.backlog.oldest)
        let oldest = times.min { $0.millisecondsSince1970 < $1.millisecondsSince1970 }
        return .object([
            "unsent": .integer(reduce(0) { $0 + $1.backlog.count }), "oldest": oldest.map { .string($0.iso8601) },
            "targets": .object(map { .init(name: $0.state.id, value: .integer($0.backlog.count)) }),
        ])
    }
}

extension TargetReport {
    /// The problem of a target as an object. It does not change with each picture and attempt: Home Assistant keeps every
    /// change.
    var problem: JSONValue {
        .object([
            "problem": .bool(state.isFailing || state.deadCount > 0), "state": .string(state.condition),
            "reason": reason.map(JSONValue.string),
            "since": state.since == 0
                ? nil : .string(WallTime(seconds: Int64(state.since / 1000), nanoseconds: 0).iso8601),
            "dead": .integer(state.deadCount),
        ])
    }

    /// The reasons of a problem in words; `nil` if there is none.
    private var reason: String? {
        var reasons: [String] = []
        if state.isFailing { reasons.append(state.reason ?? state.condition) }
        if state.deadCount > 0 {
            let pictures = state.deadCount == 1 ? "1 picture is" : "\(state.deadCount) pictures are"
            reasons.append("\(pictures) not sent: gst-capture outbox show \(state.id) says why")
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
}
#endif
