// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A reason why a record is not valid.
public struct RecordFault: Error, Sendable, Hashable {
    /// The field or side; `nil` if it is the record.
    public let part: RecordPart?
    /// The problem, as text after the label of the part: "is required".
    public let problem: String
    /// What to do; `nil` if the problem says it.
    public let advice: String?

    /// Creates a fault.
    public init(_ part: RecordPart?, _ problem: String, advice: String? = nil) {
        (self.part, self.problem, self.advice) = (part, problem, advice)
    }
}

extension RecordFault {
    /// The fault as an object for programs.
    package var json: JSONValue {
        .object([
            "part": .optional(part?.description), "problem": .string(problem), "advice": .optional(advice),
        ])
    }
}
