// Part of gst-capture. Apache License 2.0, see LICENSE.

import StillKit

extension SeriesInventory {
    /// Creates an inventory that keeps the data for a configuration's limits.
    init(_ configuration: CaptureConfiguration, after earlier: SeriesInventory? = nil) {
        self.init(
            keepsStills: configuration.limits.removes, namesRepeat: configuration.overwrites, after: earlier)
    }
}
