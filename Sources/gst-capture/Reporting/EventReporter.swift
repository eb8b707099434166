// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Synchronization
import TerminalKit

/// Passes events and remarks to a printer, in order. Only ``finish(within:)`` waits for the reader: see ``OutputLane``.
final class EventReporter: Sendable {
    private let printer: SharedPrinter
    private let lane: OutputLane

    /// `true` if the printer shows the passing time.
    let isLive: Bool

    init(_ printer: any EventPrinter) {
        isLive = printer.isLive
        let printer = SharedPrinter(printer)
        self.printer = printer
        lane = OutputLane { count in printer.use { $0.report(.notice(Wording.gap(count))) } }
    }

    func show(_ event: CaptureEvent) {
        let isVital = if case .finished = event { true } else { false }
        print(isVital: isVital) { $0.show(event) }
    }

    func report(_ remark: Remark) {
        let isVital = if case .error = remark { true } else { false }
        print(isVital: isVital) { $0.report(remark) }
    }

    /// Prints the answer to a request, or sends it to the program at a socket, after all earlier reports. It is never
    /// dropped, because the program waits for it.
    func answer(_ answer: JSONValue, to line: RequestLine) {
        print(isVital: true) { printer in
            if let client = line.client { client.send(answer.text) } else { printer.report(.answer(answer)) }
            line.release()
        }
    }

    func follow(_ schedule: Schedule, from position: SeriesPosition?) {
        print(isVital: true) { $0.follow(schedule, from: position) }
    }

    /// Redraws the progress line, unless earlier output is still pending.
    func refresh() { if lane.isIdle { print(isVital: false) { $0.refresh() } } }

    /// Waits until all output is written, up to the limit if there is one.
    func finish(within limit: Duration?) async { await lane.finish(within: limit) }

    private func print(isVital: Bool, _ write: @escaping @Sendable (inout any EventPrinter) -> Void) {
        lane.add(isVital: isVital) { [printer] in printer.use(write) }
    }
}

/// A printer that only the lane's thread uses.
private final class SharedPrinter: Sendable {
    private let printer: Mutex<any EventPrinter>

    init(_ printer: any EventPrinter) { self.printer = Mutex(printer) }

    func use(_ body: (inout any EventPrinter) -> Void) { printer.withLock { body(&$0) } }
}
