// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LedgerKit
import PresetKit
import SystemBase

@testable import ServiceKit

/// A camera whose ledger of requested pictures a test writes.
struct CraftedPictures {
    let folder: TemporaryFolder
    let camera: ServiceCamera

    /// The folder of the pictures, inside ``folder``.
    var path: String { folder.path + "/pictures" }
    var series: [(camera: String, series: ServiceSeries)] {
        camera.requested.map { [(camera.id, $0)] } ?? []
    }

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        try folder.write("pictures/keep", "")
        var settings = CaptureSettings()
        settings.output = folder.path + "/pictures/%Y/%n.jpg"
        camera = ServiceCamera(id: "garden", settings: settings, series: [])
    }

    /// Adds lines for files, with the size and hash of these contents.
    func add(_ files: [(path: String, content: String)]) async throws {
        let ledger = Ledger(
            camera.requested?.ledger ?? "",
            series: SeriesDescription(template: "%Y/%n.jpg", interval: nil, schedule: "on request"))
        try await ledger.open()
        for (index, (path, content)) in files.enumerated() {
            var entry = LedgerEntry.picture(index, path, sha256: SHA256.digits(of: Array(content.utf8)))
            if case .captured(var still) = entry.outcome {
                still.byteCount = content.utf8.count
                entry.outcome = .captured(still)
            }
            try await ledger.append([entry])
        }
        await ledger.close(.stopped)
    }

    func still(_ line: Int) throws -> StillRecord {
        try StillCatalog.still(StillID(series: "garden", line: line), in: series)
    }
}
