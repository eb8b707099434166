// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// One check of this machine, and its result.
struct HealthCheck: Sendable {
    /// The outcome of a check.
    enum Outcome: String, Sendable {
        case good, warning, failure
    }

    /// The name of the check in one stable word: `gstreamer`, `disk`.
    let name: String
    /// The outcome.
    let outcome: Outcome
    /// The result in one line.
    let finding: String
    /// Advice for the user; `nil` if there is none.
    let advice: String?
    /// The code of the exit status if the check fails.
    let code: CaptureError.Code

    /// Creates a result without a problem.
    static func good(_ name: String, _ finding: String) -> HealthCheck {
        HealthCheck(name: name, outcome: .good, finding: finding, advice: nil, code: .configuration)
    }

    /// Creates a result for something that works, but not in all cases or not for long.
    static func warning(_ name: String, _ finding: String, _ advice: String?) -> HealthCheck {
        HealthCheck(name: name, outcome: .warning, finding: finding, advice: advice, code: .configuration)
    }

    /// Creates a result for something that does not work.
    static func failure(
        _ name: String, _ finding: String, _ advice: String?, code: CaptureError.Code = .configuration
    ) -> HealthCheck {
        HealthCheck(name: name, outcome: .failure, finding: finding, advice: advice, code: code)
    }

    /// Creates a result from an error.
    static func failure(_ name: String, _ error: CaptureError) -> HealthCheck {
        let subject = error.subject.map { "\($0): " } ?? ""
        return .failure(name, subject + error.message, error.advice, code: error.code)
    }

    /// Returns one line for people, and a second one with the advice.
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
