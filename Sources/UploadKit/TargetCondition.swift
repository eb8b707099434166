// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The order in which the pictures of a source are sent.
package enum UploadOrder: String, Sendable, Hashable, CaseIterable {
    /// As they were captured.
    case oldest
    /// The newest first, then backward: after an outage a web page gets the current picture first.
    case newest
}

/// The state of a target.
package enum TargetCondition: Sendable, Hashable {
    case ready
    /// A person has paused it.
    case paused
    /// It is outside of its hours.
    case closed
    case failing(TargetFault)

    /// The moment of the next attempt on the steady clock, in nanoseconds; `nil` unless the target fails.
    var until: Int64? { if case .failing(let fault) = self { fault.until } else { nil } }
}

/// A fault that belongs to a target, not to a picture.
package struct TargetFault: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It does not answer, or has no time.
        case unreachable
        /// It has no room.
        case full
        /// It refuses the credentials, or is another one than expected.
        case access
        /// The clock of this machine is wrong.
        case clock
        /// Its folder or bucket is missing.
        case missing
    }

    package let kind: Kind
    /// The reason in words.
    package let reason: String
    /// How often it was tried since it has answered.
    package let attempts: Int
    /// The moment of the next attempt on the steady clock, in nanoseconds.
    package var until: Int64
}

extension TargetFault.Kind {
    /// Returns the kind of a fault; `nil` if it belongs to a picture.
    init?(_ fault: TransferFault) {
        switch fault {
        case .unreachable: self = .unreachable
        case .full: self = .full
        case .access: self = .access
        case .clock: self = .clock
        case .missing: self = .missing
        case .refused, .nameTaken, .gone, .changed, .damaged, .canceled: return nil
        }
    }

    /// The pause after the first attempt, in seconds.
    fileprivate var firstPause: Double {
        switch self {
        case .unreachable: 5
        case .access, .missing: 60
        case .full, .clock: 300
        }
    }
}

extension TransferFault {
    /// The pause that the target asks for.
    var wantedPause: Duration? { if case .unreachable(_, let pause) = self { pause } else { nil } }
}

/// The pauses between attempts: each is twice the last one, up to an hour, give or take a fifth, so that a thousand
/// boards do not return at the same moment.
struct Backoff: Sendable, Hashable {
    private static let longest = 3600.0
    /// The longest pause that a target can ask for.
    private static let longestWanted = Duration.seconds(6 * 3600)
    private static let nanoseconds = 1e9

    /// The state of SplitMix64.
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns a pause in nanoseconds.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, from 1.
    ///   - wanted: The pause that the target asks for.
    mutating func pause(_ kind: TargetFault.Kind, _ attempt: Int, atLeast wanted: Duration? = nil) -> Int64 {
        let seconds = min(kind.firstPause * Double(1 << min(attempt - 1, 20)), Self.longest)
        let pause = Int64(seconds * (0.8 + 0.4 * fraction()) * Self.nanoseconds)
        return max(pause, min(wanted ?? .zero, Self.longestWanted).nanoseconds)
    }

    /// A number from 0 to below 1 (SplitMix64).
    private mutating func fraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }
}
