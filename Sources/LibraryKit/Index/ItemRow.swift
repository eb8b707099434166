// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
internal import GRDB
import LedgerKit

/// An item as a row of the index.
struct ItemRow {
    let key: ItemKey
    let item: LibraryItem

    /// The columns, in the order of ``arguments(key:source:)`` and ``init(_:)``.
    static let columns = [
        "key", "id", "kind", "state", "taken_ns", "zone", "day", "name", "bytes", "width", "height", "sha256", "camera",
        "series", "session", "stage", "brightness", "sharpness", "tags", "stars", "title",
        "albums", "duration_ms",
    ]
    /// The columns as a list for a query.
    static let list = columns.map { "item." + $0 }.joined(separator: ", ")

    /// Reads a row; `nil` if a value is missing or of another type, as in a damaged file.
    init?(_ row: Row) {
        guard let key: Int64 = row.value(0), let id = row.value(1).flatMap({ ItemID($0) }),
            let kind = row.value(2).flatMap(ItemFacts.Kind.init),
            let state = row.value(3).flatMap(LibraryItem.State.init),
            let nanoseconds: Int64 = row.value(4), let zone: Int = row.value(5), let name: String = row.value(7),
            let bytes: Int = row.value(8), let width: Int = row.value(9), let height: Int = row.value(10),
            let tags: String = row.value(18), let stars: Int = row.value(19), let albums: String = row.value(21)
        else { return nil }
        let time = WallTime(nanosecondsSince1970: nanoseconds, utcOffset: max(-86399, min(86399, zone)))
        var facts = ItemFacts(kind, taken: time, byteCount: bytes, fileName: name)
        (facts.width, facts.height) = (width, height)
        facts.sha256 = (row.value(11) as Data?).map(Hexadecimal.text)
        (facts.camera, facts.series, facts.session, facts.stage) = (
            row.value(12), row.value(13), row.value(14), row.value(15)
        )
        (facts.brightness, facts.sharpness) = (row.value(16), row.value(17))
        facts.duration = (row.value(22) as Int64?).map { .milliseconds($0) }
        var item = LibraryItem(id: id, facts: facts)
        item.albums = Self.lines(albums)
        item.notes = ItemNotes(tags: Self.lines(tags), stars: max(0, min(5, stars)), title: row.value(20))
        item.state = state
        (self.key, self.item) = (ItemKey(key), item)
    }

    /// The values of ``columns``, and the source.
    static func arguments(_ item: LibraryItem, key: ItemKey, source: Int64?) -> StatementArguments {
        let facts = item.facts
        return [
            key.value, item.id.description, facts.kind.rawValue, item.state.rawValue, facts.taken.nanosecondsSince1970,
            facts.taken.utcOffset, facts.day, facts.fileName, facts.byteCount, facts.width, facts.height,
            facts.sha256.flatMap(Hexadecimal.data), facts.camera, facts.series, facts.session, facts.stage,
            facts.brightness, facts.sharpness, text(item.notes.tags), item.notes.stars, item.notes.title,
            text(item.albums), facts.duration.map { $0.nanoseconds / 1_000_000 }, source,
        ]
    }

    // No tag and no title of an album has a line feed.
    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }
    private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}

extension Row {
    /// Returns a value; `nil` if it is missing or of another type. GRDB's subscripts end the process then, and an index can
    /// be damaged.
    func value<Value: DatabaseValueConvertible>(_ column: Int) -> Value? {
        Value.fromDatabaseValue(self[column] as DatabaseValue)
    }
}

extension ItemFacts {
    /// The day on which the picture was captured, in its zone, as days since 1970. The years are those of the index, 1677
    /// to 2262: a row that is read again has the same day.
    package var day: Int {
        let nanoseconds = taken.nanosecondsSince1970
        let second = nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
        let local = second + Int64(max(-86399, min(86399, taken.utcOffset)))
        return Int(local / 86400 - (local % 86400 < 0 ? 1 : 0))
    }
}
#endif
