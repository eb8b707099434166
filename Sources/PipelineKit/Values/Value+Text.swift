// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Value: CustomStringConvertible {
    /// GStreamer's notation (`gst_value_serialize`), which quotes texts that need it; empty where there is none.
    public var description: String {
        // Its types are registered by then.
        guard (try? GStreamer.initialize()) != nil else { return "" }
        return withNaturalGValue { gst_value_serialize($0).map { String(consuming: $0) } }.flatMap { $0 } ?? ""
    }
}
