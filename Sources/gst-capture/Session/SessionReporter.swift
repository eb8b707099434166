// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit

/// Passes the events of a session, answers and messages to printers, in order. Only ``finish(within:)`` waits for the
/// reader: see ``OutputLane``.
final class SessionReporter: Sendable {
    /// Emits when a write to standard output has failed. Ends with ``finish(within:)``.
    let failures: AsyncStream<Void>

    private let printer: any SessionPrinter
    private let lane: OutputLane
    private let failure: AsyncStream<Void>.Continuation

    init(_ printer: any SessionPrinter) {
        self.printer = printer
        lane = OutputLane { printer.report(Wording.gap($0)) }
        (failures, failure) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func show(_ numbered: NumberedSessionEvent) {
        let isVital = if case .finished = numbered.event { true } else { false }
        add(isVital: isVital) { [printer] in printer.show(numbered) }
    }

    func report(_ notice: Notice) { add { [printer] in printer.report(notice) } }

    func report(_ error: CaptureError) { add(isVital: true) { [printer] in printer.report(error) } }

    /// Prints the answer to a request. It is never dropped, because the program waits for it.
    func answer(_ print: @escaping @Sendable () -> Void) { add(isVital: true, print) }

    private func add(isVital: Bool = false, _ print: @escaping @Sendable () -> Void) {
        lane.add(isVital: isVital) { [failure] in
            print()
            if StandardStream.isBroken { failure.yield() }
        }
    }

    /// Waits until all output is written, up to the limit if there is one.
    func finish(within limit: Duration?) async {
        await lane.finish(within: limit)
        failure.finish()
    }
}
