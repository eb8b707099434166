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
}

/// A position in the pictures of several series: in each, the line of the ledger before which the next page begins.
public struct StillCursor: Sendable, Hashable, CustomStringConvertible {
    private(set) var lines: [String: Int]

    /// The maximum length of the text, in bytes.
    private static let mostBytes = 4096

    init(lines: [String: Int]) { self.lines = lines }

    /// Reads a cursor; `nil` if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        lines = [:]
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            // A series that has no more pictures has the line 0, which no picture has.
            let isOver = part.hasSuffix("-0")
            guard let id = StillID(isOver ? part.dropLast() + "1" : String(part)), lines[id.series] == nil else {
                return nil
            }
            lines[id.series] = isOver ? 0 : id.line
        }
    }

    /// The cursor, as in URLs.
    public var description: String {
        lines.sorted { $0.key < $1.key }.map { "\($0.key)-\($0.value)" }.joined(separator: ".")
    }
}

/// Finds pictures in the ledgers of series. Every call blocks; a ledger can be read while its series runs.
public enum StillCatalog {
    /// How many lines of a ledger one step reads, and how many steps a page takes at most: a page may be short if most
    /// pictures were removed, and then still has a ``StillPage/next``.
    private static let (linesInStep, mostSteps) = (256, 64)

    /// Returns a page of the pictures that exist, by the moment of capture from new to old.
    ///
    /// - Parameters:
    ///   - series: The series, with the IDs of their cameras. A series without a ledger has no pictures yet.
    ///   - cursor: The end of the page before; `nil` for the newest pictures.
    ///   - limit: The maximum number of pictures; at least 1.
    ///   - since: Only pictures whose slots were due at this moment or later; `nil` for all.
    ///   - until: Only pictures whose slots were due before this moment; `nil` for all.
    /// - Throws: `CaptureError` if a ledger is damaged.
    public static func page(
        of series: [(camera: String, series: ServiceSeries)], before cursor: StillCursor?, limit: Int,
        since: WallTime? = nil, until: WallTime? = nil
    ) throws(CaptureError) -> StillPage {
        var heads: [LedgerHead] = []
        for (camera, series) in series {
            let line = cursor?.lines[series.id]
            // A series that is not in the cursor was added later; its pictures are newer than the page before.
            guard cursor == nil || line != nil, let head = try LedgerHead(series, of: camera, before: line) else {
                continue
            }
            heads.append(head)
        }
        var (stills, steps): ([StillRecord], Int) = ([], 0)
        while stills.count < limit {
            for index in heads.indices where heads[index].needsLines {
                guard steps < mostSteps else { return StillPage(stills: stills, next: Self.cursor(after: heads)) }
                steps += try heads[index].read(linesInStep, budget: mostSteps - steps, since, until)
            }
            let newest = heads.indices.filter { heads[$0].first != nil }
                .max { heads[$0].time < heads[$1].time }
            guard let newest, let still = heads[newest].take() else { break }
            stills.append(still)
        }
        let isOver = heads.allSatisfy(\.isOver)
        return StillPage(stills: stills, next: isOver ? nil : Self.cursor(after: heads))
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

    private static func cursor(after heads: [LedgerHead]) -> StillCursor {
        StillCursor(lines: Dictionary(heads.map { ($0.series.id, $0.nextLine) }) { $1 })
    }
}

/// The lines of a ledger from new to old.
private struct LedgerHead {
    let series: ServiceSeries
    private let camera: String
    private let ledger: String
    private let folder: PictureFolder
    /// The pictures that were read, oldest first.
    private var stills: [StillRecord] = []
    /// All lines from this one on were read.
    private var line: Int

    /// - Parameter line: The line before which the first picture is; `nil` for the end of the ledger.
    /// - Returns: `nil` if there is no ledger yet.
    init?(_ series: ServiceSeries, of camera: String, before line: Int?) throws(CaptureError) {
        guard let ledger = series.ledger, let folder = PictureFolder(of: series), DeviceFiles.exists(ledger) else {
            return nil
        }
        (self.series, self.camera, self.ledger, self.folder) = (series, camera, ledger, folder)
        var (filter, last) = (LedgerFilter(), 0)
        filter.limit = 1
        self.line = 0
        try LedgerReader(ledger).eachLine(filter) { line throws(CaptureError) in last = line.id }
        self.line = min(line ?? .max, last + 1)
    }

    var needsLines: Bool { stills.isEmpty && line > 1 }
    var isOver: Bool { stills.isEmpty && line <= 1 }
    var first: StillRecord? { stills.last }
    /// The moment of the newest picture that was read.
    var time: Int64 {
        first.map { $0.still.captured.seconds &* 1_000_000_000 &+ Int64($0.still.captured.nanoseconds) } ?? .min
    }
    /// The line before which the next page begins.
    var nextLine: Int { first.map { $0.id.line + 1 } ?? (line > 1 ? line : 0) }

    /// Reads lines until there is a picture, in up to `budget` steps. Returns the number of steps.
    mutating func read(
        _ count: Int, budget: Int, _ since: WallTime?, _ until: WallTime?
    ) throws(CaptureError) -> Int {
        let reader = try LedgerReader(ledger)
        var steps = 0
        while needsLines, steps < budget {
            var (filter, found) = (LedgerFilter(), [StillRecord]())
            (filter.outcomes, filter.since, filter.until) = ([.captured], since, until)
            filter.identifiers = max(1, line - count)...(line - 1)
            try reader.eachLine(filter) { line throws(CaptureError) in
                if let still = StillRecord(line, of: series.id, camera, in: folder) { found.append(still) }
            }
            (stills, line, steps) = (found, max(1, line - count), steps + 1)
        }
        return steps
    }

    mutating func take() -> StillRecord? { stills.popLast() }
}

extension StillRecord {
    /// Creates a record; `nil` if the line has no picture that still exists.
    fileprivate init?(_ line: LedgerReader.Line, of series: String, _ camera: String, in folder: PictureFolder) {
        guard let still = line.still, still.file != nil, line.removal == nil, !line.isReplaced else { return nil }
        self.init(
            id: StillID(series: series, line: line.id), camera: camera, due: line.entry.due, still: still,
            folder: folder)
    }
}
