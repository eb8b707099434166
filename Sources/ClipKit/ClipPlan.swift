// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// When a recording begins, ends, and begins another file.
public struct ClipPlan: Sendable, Hashable {
    /// The times of a recording around a trigger: a button, a sensor, a request.
    public struct Trigger: Sendable, Hashable {
        /// How long before a trigger the clip begins.
        public var before: Duration
        /// How long after the last trigger it ends. A trigger during a clip extends it.
        public var after: Duration
        /// How long a clip is at most, however many triggers come; `nil` for any length.
        public var longest: Duration?

        /// Creates the times around a trigger.
        public init(before: Duration = .seconds(5), after: Duration = .seconds(10), longest: Duration? = nil) {
            (self.before, self.after, self.longest) = (before, after, longest)
        }
    }

    /// How long the recording takes in all; `nil` until it is stopped. With a trigger, this is the time in which clips can
    /// begin.
    public var length: Duration?
    /// Pictures before this moment are left out; `nil` to begin with the first picture. It has no effect with a
    /// trigger.
    package var begin: ClockTime?
    /// How long a file is before the next one begins; `nil` for one file. A file begins with a key frame, so it can be a
    /// little longer.
    public var segment: Duration?
    /// The times around a trigger; `nil` to record at once.
    public var trigger: Trigger?
    /// `true` if another file begins after an interruption, such as a camera that was lost and is back; `false` if the
    /// recording ends with it.
    public var continues = true

    /// Creates a plan: one file, until it is stopped.
    public init() {}
}

/// Why a clip has ended.
public enum ClipEnding: Sendable, Hashable {
    /// It was stopped.
    case stopped
    /// Its time is over.
    case elapsed
    /// The next file continues it.
    case segment
    /// The format of the pictures or of the sound has changed: a file has only one.
    case format
    /// The camera was lost.
    case lost(CaptureError)
    /// The file cannot be written.
    case storage(CaptureError)
    /// The pictures cannot be encoded.
    case encoder(CaptureError)

    /// The word in events and ledgers.
    public var word: String {
        switch self {
        case .stopped: "stopped"
        case .elapsed: "elapsed"
        case .segment: "segment"
        case .format: "format"
        case .lost: "lost"
        case .storage: "storage"
        case .encoder: "encoder"
        }
    }

    /// The error that ended it; `nil` if it ended as planned.
    public var error: CaptureError? {
        switch self {
        case .lost(let error), .storage(let error), .encoder(let error): error
        case .stopped, .elapsed, .segment, .format: nil
        }
    }
}
