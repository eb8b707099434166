// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Value: CustomStringConvertible {
    /// GStreamer's notation (`gst_value_serialize`), which quotes text if necessary; empty if the value has no
    /// notation.
    public var description: String {
        // The start of GStreamer registers its types.
        guard (try? GStreamer.initialize()) != nil else { return "" }
        return withNaturalGValue { gst_value_serialize($0).map { String(consuming: $0) } }.flatMap { $0 } ?? ""
    }
}
