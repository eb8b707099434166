// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LedgerKit

/// The row of a picture in the index: its order is that of time.
///
/// The upper 43 bits are milliseconds since 1970, the lower 20 bits a hash of the ID, so that pictures of the same
/// millisecond have different rows. A list continues after a key without skipping or repeating pictures.
struct ItemKey: Hashable, Comparable {
    let value: Int64

    private static let idBits: Int64 = 20
    // Leaves room for keys after the last moment.
    private static let mostMilliseconds: Int64 = (1 << 43) - 2

    init(_ value: Int64) { self.value = value }

    /// The preferred key of a picture. If another picture has it, the next free one is used.
    init(_ item: LibraryItem) {
        // FNV-1a: any hash that is the same in each process.
        let hash = item.id.description.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        value = Self.first(at: item.facts.taken).value | Int64(hash >> 12)
    }

    /// The lowest key of a moment. Moments before 1970 and after 2248 count as these.
    static func first(at time: WallTime) -> ItemKey {
        let milliseconds = time.nanosecondsSince1970 / 1_000_000
        return ItemKey(max(0, min(mostMilliseconds, milliseconds)) << idBits)
    }

    var next: ItemKey { ItemKey(value + 1) }

    static func < (left: ItemKey, right: ItemKey) -> Bool { left.value < right.value }
}
#endif
