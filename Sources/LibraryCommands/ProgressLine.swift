// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import TerminalKit

/// Shows how far a command is that lasts longer than a second, on a terminal alone.
final class ProgressLine {
    private let console = Console()
    private let what: String
    private let start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var isVisible = false

    /// - Parameter what: The things that are counted, such as `pictures`.
    init(_ what: String) { self.what = what }

    /// An error that ends the command has its own line.
    deinit { clear() }

    /// Shows a number of things, at most five times a second.
    ///
    /// - Parameter all: The number at the end, from which the remaining time follows; `nil` if it is unknown.
    func show(_ count: Int, of all: Int? = nil) {
        let now = ContinuousClock.now
        guard console.terminal.isLive, now - start > .seconds(1), now - shown > .milliseconds(200) else { return }
        let seconds = Double((now - start).nanoseconds) / 1e9
        let rate = Double(count) / seconds
        var text = all.map { "\(count) of \($0) \(what)" } ?? "\(count) \(what), \(Int(rate)) a second"
        if let all, rate > 0 {
            let left = Duration.seconds(Int(Double(all - count) / rate) + 1)
            text += ", \(left.shortText) left"
        }
        console.stream.write("\r\u{1B}[K" + text)
        (shown, isVisible) = (now, true)
    }

    /// Prints an error in place of the progress, which the next call shows again.
    func report(_ error: CaptureError) {
        clear()
        console.report(error)
    }

    /// Removes the progress, and prints the result.
    func finish(_ text: String) {
        clear()
        console.report(text.withoutControls)
    }

    /// Removes the progress.
    func clear() {
        if isVisible { console.stream.write("\r\u{1B}[K") }
        isVisible = false
    }
}
#endif
