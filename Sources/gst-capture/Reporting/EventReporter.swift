// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Brings what happens, whoever says it, one after the other to a printer.
actor EventReporter {
    private var printer: any EventPrinter

    /// True where time that passes is shown.
    nonisolated let isLive: Bool

    init(_ printer: any EventPrinter) {
        self.printer = printer
        isLive = printer.isLive
    }

    func show(_ event: CaptureEvent) { printer.show(event) }

    func tell(_ remark: Remark) { printer.tell(remark) }

    func follow(_ schedule: Schedule, from position: SeriesPosition?) { printer.follow(schedule, from: position) }

    func refresh() { printer.refresh() }
}
