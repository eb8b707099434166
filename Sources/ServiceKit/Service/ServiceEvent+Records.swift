// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension ServiceEvent {
    /// Creates the event of a change of a record. It has no values, because some are personal.
    ///
    /// - Parameter state: `present`, `trash` or `erased`.
    package init(record id: String, kind: String, revision: Int, state: String) {
        self.init(
            "record", camera: nil, series: nil,
            [
                "kind": .string(kind), "id": .string(id), "revision": .integer(revision), "state": .string(state),
            ])
    }

    /// Creates the event of a picture of records that was fetched from the backend.
    ///
    /// - Parameter sha256: Its hash.
    package init(recordPicture sha256: String) {
        self.init("record-picture", camera: nil, series: nil, ["sha256": .string(sha256)])
    }
}
