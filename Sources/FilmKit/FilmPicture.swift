// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import StillKit

/// Opens the file of a picture by its path. A service opens only files in its folders, also if a ledger or
/// an index names others.
package typealias PictureOpener = @Sendable (_ path: String) throws(CaptureError) -> RegularFile

/// A picture that a film can show, with the facts that its head and its ledger state. Its pixels were not read.
package struct FilmPicture: Sendable, Hashable {
    /// A moment, and who states it.
    package struct Moment: Sendable, Hashable {
        package enum Origin: String, Sendable, Hashable {
            /// The ledger of the series, or the tags of the picture.
            case capture
            /// The date of the file, which copies lose.
            case file
        }

        package var time: WallTime
        package var origin: Origin

        package init(_ time: WallTime, _ origin: Origin) { (self.time, self.origin) = (time, origin) }

        /// Nanoseconds since 1970.
        var nanoseconds: Int64 { time.seconds &* 1_000_000_000 &+ Int64(time.nanoseconds) }
    }

    /// A slot of a series in a ledger.
    package struct Slot: Sendable, Hashable {
        package var series: Int
        package var index: Int

        package init(series: Int, index: Int) { (self.series, self.index) = (series, index) }

        /// The number of slots between this one and a later one; `nil` if they are not of one series.
        func missingCount(before later: Slot?) -> Int? {
            guard let later, series == later.series else { return nil }
            let (count, overflow) = later.index.subtractingReportingOverflow(index)
            return overflow ? nil : max(0, count - 1)
        }
    }

    /// The path of the file.
    package var path: String
    /// The folder that the path must not leave, also by a link; `nil` for any path. A ledger can name any file.
    var root: String?
    /// The path from the folder of the film, for reports.
    package var name: String
    package var moment: Moment
    /// The size as viewers show the picture.
    package var size: FrameSize
    package var orientation = Orientation.upright
    /// Make and model by the tags; `nil` if they have none.
    package var camera: String?
    /// The mean luma by the ledger, 0 black to 1 white; `nil` if it has none.
    package var brightness: Double?
    package var slot: Slot?
    /// The size of the file in bytes.
    package var byteCount = 0
    /// When the file was changed, in nanoseconds since 1970.
    package var modified: Int64 = 0

    /// `true` for a contact sheet, which shows other pictures.
    package var isSheet = false

    package init(path: String, name: String, moment: Moment, size: FrameSize) {
        (self.path, self.name, self.moment, self.size) = (path, name, moment, size)
    }

    /// Opens its file. Blocks.
    ///
    /// - Throws: ``CaptureError`` `noInput` if the path leads out of ``root``, and the errors of files.
    func open() throws(CaptureError) -> RegularFile { try Self.open(path, below: root) }

    static func open(_ path: String, below root: String?) throws(CaptureError) -> RegularFile {
        guard let root else { return try RegularFile.opened(path) }
        let base = LedgerPlace.folder(root)
        guard path.hasPrefix(base) else {
            throw CaptureError(.noInput, "is not in the folder of its series", subject: path)
        }
        do throws(RegularFile.Failure) {
            return try OpenFolder(root).file(String(path.dropFirst(base.count)))
        } catch {
            throw CaptureError(error, path)
        }
    }

    /// The level for ``Deflicker`` by the ledger; `nil` if it has none.
    var level: Double? { brightness.map(PictureLevel.level) }
}

/// A file that the film does not show, because it is no picture, or damaged.
package struct SkippedPicture: Error, Sendable, Hashable {
    /// The path from the folder of the film.
    package var name: String
    package var reason: String

    package init(name: String, reason: String) { (self.name, self.reason) = (name, reason) }
}
