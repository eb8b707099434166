// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import GRDB
import LedgerKit

/// An item as a row of the index.
struct ItemRow {
    let key: ItemKey
    let item: LibraryItem

    /// The columns, in the order of ``arguments(key:source:)`` and ``init(_:)``.
    static let columns = [
        "key", "id", "kind", "state", "taken_ns", "zone", "day", "name", "bytes", "width", "height", "sha256", "camera",
        "series", "session", "stage", "brightness", "sharpness", "tags", "stars", "title",
    ]
    /// The columns as a list for a query.
    static let list = columns.map { "item." + $0 }.joined(separator: ", ")

    /// Reads a row; `nil` if the file is damaged.
    init?(_ row: Row) {
        guard let id = ItemID(row[1]), let kind = ItemFacts.Kind(rawValue: row[2]),
            let state = LibraryItem.State(rawValue: row[3]), let bytes = Int(exactly: row[8] as Int64)
        else { return nil }
        let time = WallTime(nanosecondsSince1970: row[4], utcOffset: max(-86399, min(86399, row[5])))
        var facts = ItemFacts(kind, taken: time, byteCount: bytes, fileName: row[7])
        (facts.width, facts.height) = (row[9], row[10])
        facts.sha256 = (row[11] as Data?).map(Hexadecimal.text)
        (facts.camera, facts.series, facts.session, facts.stage) = (row[12], row[13], row[14], row[15])
        (facts.brightness, facts.sharpness) = (row[16], row[17])
        var item = LibraryItem(id: id, facts: facts)
        item.notes = ItemNotes(tags: Self.tags(row[18]), stars: row[19], title: row[20])
        item.state = state
        (key, self.item) = (ItemKey(row[0]), item)
    }

    /// The values of ``columns``, and the source.
    static func arguments(_ item: LibraryItem, key: ItemKey, source: Int64?) -> StatementArguments {
        let facts = item.facts
        return [
            key.value, item.id.description, facts.kind.rawValue, item.state.rawValue, facts.taken.nanosecondsSince1970,
            facts.taken.utcOffset, facts.day, facts.fileName, facts.byteCount, facts.width, facts.height,
            facts.sha256.flatMap(Hexadecimal.data), facts.camera, facts.series, facts.session, facts.stage,
            facts.brightness, facts.sharpness, text(item.notes.tags), item.notes.stars, item.notes.title, source,
        ]
    }

    // No tag has a line feed.
    private static func text(_ tags: [String]) -> String { tags.joined(separator: "\n") }
    private static func tags(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}

extension ItemFacts {
    /// The day on which the picture was captured, in its zone, as days since 1970.
    package var day: Int {
        let local = taken.seconds.addingReportingOverflow(Int64(taken.utcOffset)).partialValue
        return Int(local >= 0 ? local / 86400 : -((86399 - local) / 86400))
    }
}
#endif
