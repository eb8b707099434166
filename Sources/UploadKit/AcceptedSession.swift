// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit

/// A session whose pictures were accepted, and that no process runs any more.
struct AcceptedSession {
    /// The state of the session of a folder.
    enum State {
        case accepted(AcceptedSession)
        /// It has not ended, or a process still runs it.
        case pending
        case canceled

        /// Reads the record of a run. Blocks.
        ///
        /// - Parameter path: The folder of the run.
        init(_ path: String) throws(CaptureError) {
            let entry = try SessionArchive.entry(at: path)
            self =
                switch entry.record.progress.ending {
                case .cancelled: .canceled
                case .accepted where !entry.isRunning: .accepted(AcceptedSession(record: entry.record, path: path))
                default: .pending
                }
        }
    }

    private let record: SessionRecord
    private let path: String

    private init(record: SessionRecord, path: String) { (self.record, self.path) = (record, path) }

    /// When the session began and ended; the second is the first if its record has none.
    var begun: String { record.begun }
    var ended: WallTime { time(record.ended ?? record.begun) }
    /// How long the pictures may be kept after the end; `nil` for no limit.
    var retention: Duration? { record.retention }

    /// The pictures with their numbers from `first` on: those of each stage as they are cropped, the views of further
    /// cameras, and the results.
    func pictures(from first: Int) -> [UploadPicture] {
        var pictures: [UploadPicture] = []
        func add(_ file: SessionFileRecord, _ taken: String?, stage: String = "", camera: String = "") {
            var picture = UploadPicture(
                line: first + pictures.count, path: path + "/" + file.name, byteCount: file.byteCount,
                sha256: file.sha256, taken: time(taken ?? record.ended ?? record.begun))
            (picture.series, picture.run) = (record.progress.session, DeviceFiles.name(of: path))
            (picture.stage, picture.camera, picture.isLent) = (stage, camera, record.retention != nil)
            pictures.append(picture)
        }
        for still in record.pictures {
            add(still.best, still.taken, stage: still.stage, camera: still.camera ?? "")
            for view in still.views { add(view.file, view.taken, stage: still.stage, camera: view.camera) }
        }
        for result in record.results { add(result, record.ended) }
        return pictures
    }

    private func time(_ text: String) -> WallTime {
        WallTime(iso8601: text) ?? WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0)
    }
}
