// Part of gst-capture. Apache License 2.0, see LICENSE.

import LedgerKit
import ScheduleKit
import StillKit

extension SeriesDescription {
    /// Describes the series of a configuration, with file names relative to the base folder of the ledger.
    init(_ configuration: CaptureConfiguration, _ place: LedgerPlace) {
        let schedule = configuration.schedule
        let template =
            switch configuration.output {
            case .files(let template): place.relative(template.description)
            case .standardOutput: "-"
            case .caller: ""
            }
        self.init(template: template, interval: schedule.interval, schedule: schedule.words)
    }
}
