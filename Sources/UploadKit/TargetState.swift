// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The state of a target in the store, for people.
package struct TargetState: Sendable, Hashable {
    package let id: String
    /// `true` if a person has paused it.
    package var isPaused = false
    /// A word: `ready`, `paused`, `closed`, or the kind of a fault.
    package var condition = "ready"
    /// The reason of a fault in words.
    package var reason: String?
    /// When the condition began, in milliseconds since 1970.
    package var since = 0
    /// When the target is tried again, in milliseconds since 1970; `nil` if that is now, or unknown.
    package var until: Int?
    /// The pictures that the target has confirmed, and their bytes.
    package private(set) var sentCount = 0, sentBytes = 0
    /// When it confirmed one last, in milliseconds since 1970.
    package private(set) var lastSent: Int?
    /// The pictures that were too old, or that a person did not want to be sent.
    package private(set) var skippedCount = 0
    /// The jobs that need a person.
    package private(set) var deadCount = 0
    /// The pictures that were deleted here, and that the target cannot erase.
    package private(set) var keptCount = 0

    package init(id: String) { self.id = id }

    init(_ row: borrowing DatabaseStatement) throws(DatabaseError) {
        id = try row.requiredText(0)
        isPaused = try row.requiredInteger(1) != 0
        (condition, reason) = (try row.requiredText(2), try row.text(3))
        (since, until) = (Int(try row.requiredInteger(4)), try row.integer(5).map { Int($0) })
        (sentCount, sentBytes) = (Int(try row.requiredInteger(6)), Int(try row.requiredInteger(7)))
        (lastSent, skippedCount) = (try row.integer(8).map { Int($0) }, Int(try row.requiredInteger(9)))
        (deadCount, keptCount) = (Int(try row.requiredInteger(10)), Int(try row.requiredInteger(11)))
    }
}

extension TargetState {
    /// Takes the condition of a target.
    ///
    /// - Parameters:
    ///   - wake: When the target is tried again, in milliseconds since 1970.
    ///   - now: The time of day, in milliseconds since 1970.
    mutating func take(_ condition: TargetCondition, wake: Int?, at now: Int) {
        let (word, reason): (String, String?) =
            switch condition {
            case .ready: ("ready", nil)
            case .paused: ("paused", nil)
            case .closed: ("closed", nil)
            case .failing(let fault): (fault.kind.rawValue, fault.reason)
            }
        if word != self.condition { since = now }
        (self.condition, self.reason, until) = (word, reason, wake)
        isPaused = condition == .paused
    }
}

/// A request of a person to the sender.
package struct OutboxRequest: Sendable, Hashable {
    package enum Verb: String, Sendable, Hashable, CaseIterable {
        /// Try the target now; with a job, send that again.
        case retry
        /// Do not send a picture.
        case drop
        case pause
        case resume
    }

    package let verb: Verb
    package let target: String
    /// The job; `nil` for the target.
    package let job: Int64?

    package init(_ verb: Verb, target: String, job: Int64? = nil) {
        (self.verb, self.target, self.job) = (verb, target, job)
    }
}
