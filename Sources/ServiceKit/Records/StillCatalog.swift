// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import LedgerKit
import StillKit
import SystemBase

/// A picture of a series, as its ledger describes it.
public struct StillRecord: Sendable {
    /// Its ID.
    public let id: StillID
    /// The ID of its camera.
    public let camera: String
    /// When its slot was due.
    public let due: WallTime
    /// The description in the ledger.
    public let still: LedgerStill
    /// The folder of the series' pictures.
    let folder: PictureFolder

    /// The path of its file, as the ledger names it. Open the file with ``open()`` only: a ledger may name any path.
    package var path: String? { still.file }

    /// Opens its file. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if it does not exist anymore, or is not in the folder of the series.
    package func open() throws(CaptureError) -> RegularFile {
        do throws(RegularFile.Failure) {
            return try folder.open(still.file ?? "")
        } catch {
            throw CaptureError(.noInput, "the file of the picture cannot be read", subject: "\(id)")
        }
    }

    /// The media type of its file, by its name.
    public var mediaType: String { Self.mediaType(of: still.file.flatMap(StillFormat.init(fileName:)) ?? .raw) }

    /// Returns the media type of pictures in a format.
    public static func mediaType(of format: StillFormat) -> String {
        switch format {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .raw: "application/octet-stream"
        }
    }
}

/// A page of pictures, newest first.
public struct StillPage: Sendable {
    /// The pictures.
    public let stills: [StillRecord]
    /// Continues after the last picture; `nil` after the oldest.
    public let next: StillCursor?
    /// The damage of ledgers in words, one line for each series. The page lacks its pictures.
    public let faults: [String]
}

/// Finds pictures in the ledgers of series. Every call blocks; a ledger can be read while its series runs.
public enum StillCatalog {
    /// The maximum number of series of a list.
    public static let mostSeries = 512
    /// How many steps a page takes besides two of each series. A page may be short if most pictures were removed or are
    /// of other times, and then still has a ``StillPage/next``.
    private static let mostSteps = 64
    /// The maximum number of pictures that all series together have in memory.
    private static let mostInMemory = 4096

    /// Returns a page of the pictures that exist, by the moment of capture from new to old. A damaged ledger hides no
    /// pictures of others.
    ///
    /// - Parameters:
    ///   - series: The series, with the IDs of their cameras. A series without a ledger has no pictures yet.
    ///   - cursor: The end of the page before; `nil` for the newest pictures.
    ///   - limit: The maximum number of pictures; at least 1.
    ///   - since: Only pictures whose slots were due at this moment or later; `nil` for all.
    ///   - until: Only pictures whose slots were due before this moment; `nil` for all.
    /// - Throws: `CaptureError` `.usage` for more than ``mostSeries``; `.temporary` if the task is canceled.
    public static func page(
        of series: [(camera: String, series: ServiceSeries)], before cursor: StillCursor?, limit: Int,
        since: WallTime? = nil, until: WallTime? = nil
    ) throws(CaptureError) -> StillPage {
        guard series.count <= mostSeries else {
            throw CaptureError(
                .usage, "a list has at most \(mostSeries) series", subject: "stills",
                advice: "choose cameras with camera=, or series with series=")
        }
        var filter = LedgerFilter()
        (filter.outcomes, filter.since, filter.until, filter.areStored) = ([.captured], since, until, true)
        filter.limit = min(256, max(8, mostInMemory / max(1, series.count)))
        var heads: [LedgerHead] = []
        for (camera, series) in series {
            let line = cursor?.line(of: series.id)
            // A series that is not in the cursor is over, or was added later: its pictures are newer than the page before.
            guard cursor == nil || line != nil, let head = LedgerHead(series, of: camera, before: line, filter) else {
                continue
            }
            heads.append(head)
        }
        return try page(of: &heads, limit)
    }

    private static func page(of heads: inout [LedgerHead], _ limit: Int) throws(CaptureError) -> StillPage {
        var (stills, steps): ([StillRecord], Int) = ([], mostSteps + 2 * heads.count)
        while stills.count < limit {
            let newest = heads.indices.filter { heads[$0].first != nil }.max { heads[$0].time < heads[$1].time }
            let time = newest.map { heads[$0].time } ?? .min
            // A series whose older lines may have a newer picture than this one is read first.
            let next = heads.indices.filter { heads[$0].mayBeNewer(than: time) }
                .max { heads[$0].bound < heads[$1].bound }
            if let next {
                guard steps > 0 else { break }
                steps -= 1
                try heads[next].read()
            } else if let newest, let still = heads[newest].take() {
                stills.append(still)
            } else {
                break
            }
        }
        let lines = Dictionary(heads.compactMap { head in head.nextLine.map { (head.series.id, $0) } }) { $1 }
        return StillPage(
            stills: stills, next: lines.isEmpty ? nil : StillCursor(lines: lines), faults: heads.compactMap(\.fault))
    }

    /// Returns the picture with an ID.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none, or if it was removed or replaced.
    public static func still(
        _ id: StillID, in series: [(camera: String, series: ServiceSeries)]
    ) throws(CaptureError) -> StillRecord {
        guard let (camera, series) = series.first(where: { $0.series.id == id.series }),
            let ledger = series.ledger, let folder = PictureFolder(of: series), DeviceFiles.exists(ledger)
        else { throw .unknown("picture", id.description) }
        var (filter, record) = (LedgerFilter(), StillRecord?.none)
        filter.identifiers = id.line...id.line
        try LedgerReader(ledger).eachLine(filter) { line throws(CaptureError) in
            record = StillRecord(line, of: series.id, camera, in: folder)
        }
        guard let record else { throw .unknown("picture", id.description) }
        return record
    }
}

extension StillRecord {
    /// Creates a record; `nil` if the line has no picture that still exists.
    init?(_ line: LedgerReader.Line, of series: String, _ camera: String, in folder: PictureFolder) {
        guard let still = line.still, still.file != nil, line.removal == nil, !line.isReplaced else { return nil }
        self.init(
            id: StillID(series: series, line: line.id), camera: camera, due: line.entry.due, still: still,
            folder: folder)
    }
}
