// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// The number that tells the caller how it went: 0, one of sysexits(3), or 128 and the signal.
struct ExitStatus: Error, Hashable {
    /// The number.
    let code: Int32

    /// All went well.
    static let success = ExitStatus(code: 0)

    /// What a capture's summary amounts to.
    ///
    /// - Parameter signal: The signal that stopped it, if any did.
    init(_ summary: CaptureSummary, stoppedBy signal: Int32? = nil) {
        if case .failed(let error) = summary.ending {
            self.init(error)
        } else if let signal, summary.captured == 0 {
            self.init(code: 128 + signal)
        } else if let failure = summary.firstFailure {
            self.init(failure)
        } else {
            // Gaps in a series are in its account; no picture at all is worth another try.
            let isEmpty = summary.ending == .completed && summary.captured == 0 && summary.missed + summary.failed > 0
            self.init(code: isEmpty ? CaptureError.Code.temporary.exitStatus : 0)
        }
    }

    /// The status of an error.
    init(_ error: CaptureError) { self.init(code: error.code.exitStatus) }

    /// A status by its number.
    init(code: Int32) { self.code = code }

    /// Ends the process at once, threads that hang in a driver or not; nothing is left in buffers.
    func leave() -> Never {
        KeyTerminal.restore()
        fflush(nil)
        guard code == 0, StandardStream.hasLostOutput else { _exit(code) }
        Console().tell("gst-capture: standard output cannot be written; what was told there is lost")
        _exit(CaptureError.Code.inputOutput.exitStatus)
    }
}
