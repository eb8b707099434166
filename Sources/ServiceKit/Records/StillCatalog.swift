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

/// Finds pictures in the ledgers of series. Every call blocks; a ledger can be read while its series runs.
public enum StillCatalog {
    /// The longest gap that is read rather than left out.
    private static let mostGap = 16

    /// Returns the picture with an ID.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none, or if it was removed or replaced.
    public static func still(
        _ id: StillID, in series: [(camera: String, series: ServiceSeries)]
    ) throws(CaptureError) -> StillRecord {
        guard let found = try stills([id.line], of: id.series, in: series).first else {
            throw .unknown("picture", id.description)
        }
        return found
    }

    /// Returns the pictures of a series with these lines, in the order of the lines. A line whose picture was removed or
    /// replaced has none, and neither has a damaged one, nor one of an unknown series.
    ///
    /// - Throws: `CaptureError` if the ledger cannot be read.
    package static func stills(
        _ lines: [Int], of id: String, in series: [(camera: String, series: ServiceSeries)]
    ) throws(CaptureError) -> [StillRecord] {
        guard let (camera, series) = series.first(where: { $0.series.id == id }), let ledger = series.ledger,
            let folder = PictureFolder(of: series), DeviceFiles.exists(ledger)
        else { return [] }
        let (reader, wanted) = (try LedgerReader(ledger), Set(lines))
        var records: [StillRecord] = []
        for range in ranges(wanted) {
            var filter = LedgerFilter()
            filter.identifiers = range
            try reader.eachSoundLine(filter) { line throws(CaptureError) in
                guard wanted.contains(line.id), let record = StillRecord(line, of: id, camera, in: folder) else {
                    return
                }
                records.append(record)
            }
        }
        return records
    }

    /// Returns ranges with all lines and few others: a query takes as long as some lines.
    private static func ranges(_ lines: Set<Int>) -> [ClosedRange<Int>] {
        lines.sorted().reduce(into: []) { ranges, line in
            if let last = ranges.last, line - last.upperBound <= mostGap {
                ranges[ranges.count - 1] = last.lowerBound...line
            } else {
                ranges.append(line...line)
            }
        }
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
