// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Prints messages for people on standard error.
package struct Console: Sendable {
    /// The stream for messages.
    package let stream = StandardStream.error
    /// The features of the terminal of ``stream``.
    package let terminal: Terminal

    /// Creates a console on standard error.
    package init() { terminal = Terminal(.error) }

    /// Prints a message.
    package func report(_ text: String) { stream.line(text) }

    /// Prints an error, and its advice on the next line. Names of files may contain control characters, which could
    /// control the terminal.
    package func report(_ error: CaptureError) {
        let subject = error.subject.map { "\($0): ".withoutControls } ?? ""
        // Settings with several mistakes have one line for each.
        for line in (subject + error.message).split(separator: "\n") {
            report(terminal.styled("gst-capture: ", .red) + String(line).withoutControls)
        }
        guard let advice = error.advice else { return }
        report("  " + (terminal.isUnicode ? "→ " : "-> ") + advice.withoutControls)
    }

    /// Prints a warning in one line, without control characters.
    package func warn(_ text: String) { report(terminal.styled("gst-capture: ", .yellow) + text.withoutControls) }
}
