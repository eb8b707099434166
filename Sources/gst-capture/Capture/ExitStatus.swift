// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import TerminalKit

/// The exit status of the process: 0, a code of sysexits(3), or 128 plus the number of a signal.
struct ExitStatus: Error, Hashable {
    /// The number that the parent process reads.
    let code: Int32

    /// The capture was successful.
    static let success = ExitStatus(code: 0)

    /// Creates the status of a capture.
    ///
    /// - Parameter signal: The signal that stopped the capture; `nil` if none did, or if SIGUSR2 finished a series.
    init(_ summary: CaptureSummary, stoppedBy signal: Int32? = nil) {
        if case .failed(let error) = summary.ending {
            self.init(error)
        } else if let signal, summary.captured == 0 {
            self.init(code: 128 + signal)
        } else if let failure = summary.firstFailure {
            self.init(failure)
        } else {
            // A series with gaps is successful, as its summary lists them. A capture without any picture can be
            // retried.
            let isEmpty = summary.ending == .completed && summary.captured == 0 && summary.missed + summary.failed > 0
            self.init(code: isEmpty ? CaptureError.Code.temporary.exitStatus : 0)
        }
    }

    /// Creates the status of an error.
    init(_ error: CaptureError) { self.init(code: error.code.exitStatus) }

    /// Creates a status from its number.
    init(code: Int32) { self.code = code }

    /// Ends the process at once, even if threads hang in a driver. It restores the terminal. If lines of standard
    /// output are lost, status 0 becomes 74, with a message.
    ///
    /// It leaves out the buffers of stdio, which this program does not write to: `fflush` would wait for a thread of a
    /// library that hangs in a write to standard error.
    func leave() -> Never {
        KeyTerminal.restore()
        guard code == 0, StandardStream.hasLostOutput else { _exit(code) }
        Console().report("gst-capture: standard output cannot be written; some of its lines are lost")
        _exit(CaptureError.Code.inputOutput.exitStatus)
    }
}
