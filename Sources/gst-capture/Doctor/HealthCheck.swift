// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// One thing that was looked at on this machine, with what was found.
struct HealthCheck: Sendable {
    /// How it is.
    enum Outcome: String, Sendable {
        case good, warning, failure
    }

    /// What was looked at, in a word that stays: `gstreamer`, `disk`.
    let name: String
    /// How it is.
    let outcome: Outcome
    /// What was found, in one line.
    let finding: String
    /// What the user can do.
    let advice: String?
    /// What a failure means for the exit status.
    let code: CaptureError.Code

    /// All is well.
    static func good(_ name: String, _ finding: String) -> HealthCheck {
        HealthCheck(name: name, outcome: .good, finding: finding, advice: nil, code: .configuration)
    }

    /// It works, but not for everything, or not for long.
    static func warning(_ name: String, _ finding: String, _ advice: String?) -> HealthCheck {
        HealthCheck(name: name, outcome: .warning, finding: finding, advice: advice, code: .configuration)
    }

    /// It does not work.
    static func failure(
        _ name: String, _ finding: String, _ advice: String?, code: CaptureError.Code = .configuration
    ) -> HealthCheck {
        HealthCheck(name: name, outcome: .failure, finding: finding, advice: advice, code: code)
    }

    /// An error as what was found.
    static func failure(_ name: String, _ error: CaptureError) -> HealthCheck {
        let subject = error.subject.map { "\($0): " } ?? ""
        return .failure(name, subject + error.message, error.advice, code: error.code)
    }

    /// One line for people, and one more with the advice.
    func text(for terminal: Terminal) -> String {
        let marks = terminal.isUnicode ? ["✓", "!", "✗"] : ["ok  ", "warn", "FAIL"]
        let mark =
            switch outcome {
            case .good: terminal.styled(marks[0], .green)
            case .warning: terminal.styled(marks[1], .yellow)
            case .failure: terminal.styled(marks[2], .red)
            }
        let label = name + String(repeating: " ", count: max(1, 14 - name.count))
        let arrow = terminal.isUnicode ? "→" : "->"
        let indent = String(repeating: " ", count: marks[0].count + 15)
        return "\(mark) \(label)\(finding)" + (advice.map { "\n\(indent)\(arrow) \($0)" } ?? "")
    }

    /// One object for programs.
    var json: JSONValue {
        .object([
            "check": .string(name), "outcome": .string(outcome.rawValue), "finding": .string(finding),
            "advice": .optional(advice),
        ])
    }
}
