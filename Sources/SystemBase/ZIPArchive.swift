// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The parts of a ZIP file whose entries are stored as they are (APPNOTE.TXT 6.3, method 0). JPEG and PNG files are
/// compressed already.
///
/// The owner writes, for each entry, the head from ``add(_:)`` and the content, and ``end`` after the last one. Entries
/// above 4 GiB, archives above 4 GiB, and more than 65,535 entries get the fields of ZIP64; other archives have none.
package struct ZIPArchive: Sendable {
    /// A file of an archive.
    package struct Entry: Sendable {
        /// The name, with folders before slashes.
        package var name: String
        /// The size of the content.
        package var byteCount: Int
        /// The ``CRC32`` of the content.
        package var checksum: UInt32
        /// The time of the last change, in seconds since 1970; `nil` to leave it out.
        package var modified: Int?

        /// Creates an entry.
        package init(_ name: String, byteCount: Int, checksum: UInt32, modified: Int? = nil) {
            (self.name, self.byteCount, self.checksum, self.modified) = (name, byteCount, checksum, modified)
        }
    }

    /// The number of bytes up to the last entry: the position of the next head.
    package private(set) var byteCount = 0
    /// The number of entries.
    package private(set) var count = 0
    /// The central directory so far.
    private var directory: [UInt8] = []

    /// Creates an archive without entries.
    package init() {}

    /// Adds an entry.
    ///
    /// - Returns: The bytes that precede its content in the archive; `nil` if the name is too long.
    package mutating func add(_ entry: Entry) -> [UInt8]? {
        guard let head = Self.head(of: entry) else { return nil }
        addToDirectory(entry)
        byteCount += head.count + entry.byteCount
        count += 1
        return head
    }

    /// Returns the bytes that precede the content of an entry; `nil` if the name is too long. Their number does not depend
    /// on the checksum.
    package static func head(of entry: Entry) -> [UInt8]? {
        let name = Array(entry.name.utf8)
        guard name.count < mostNameBytes else { return nil }
        let isLarge = entry.byteCount >= limit32
        let sizes = isLarge ? field(0x0001, fields(of: 8, [entry.byteCount, entry.byteCount])) : []
        let extra = sizes + time(entry)
        return fields(of: 4, [0x0403_4B50]) + common(entry, version: isLarge ? version64 : version)
            + fields(of: 2, [name.count, extra.count]) + name + extra
    }

    private mutating func addToDirectory(_ entry: Entry) {
        let name = Array(entry.name.utf8)
        // Only values that do not fit into 32 bits are here, in this order.
        var large = entry.byteCount >= Self.limit32 ? [entry.byteCount, entry.byteCount] : []
        if byteCount >= Self.limit32 { large.append(byteCount) }
        let extra = (large.isEmpty ? [] : Self.field(0x0001, Self.fields(of: 8, large))) + Self.time(entry)
        let version = large.isEmpty ? Self.version : Self.version64
        // Made by Unix.
        directory += Self.fields(of: 4, [0x0201_4B50]) + Self.fields(of: 2, [3 << 8 | version])
        directory += Self.common(entry, version: version)
        // No comment, disk 0, no internal attributes; a regular file with the mode 0644.
        directory += Self.fields(of: 2, [name.count, extra.count, 0, 0, 0])
        directory += Self.fields(of: 4, [0o100644 << 16, min(byteCount, Self.limit32)])
        directory += name + extra
    }

    /// The bytes after the last entry: the central directory.
    package var end: [UInt8] {
        let size = directory.count
        var end = directory
        if count >= Self.limit16 || size >= Self.limit32 || byteCount >= Self.limit32 {
            // The size of the rest of this record, versions, disks, entries, and the place of the directory.
            end += Self.fields(of: 4, [0x0606_4B50]) + Self.fields(of: 8, [44])
            end += Self.fields(of: 2, [3 << 8 | Self.version64, Self.version64]) + Self.fields(of: 4, [0, 0])
            end += Self.fields(of: 8, [count, count, size, byteCount])
            // The place of that record, on disk 0 of 1.
            end += Self.fields(of: 4, [0x0706_4B50, 0]) + Self.fields(of: 8, [byteCount + size])
            end += Self.fields(of: 4, [1])
        }
        let entries = min(count, Self.limit16)
        return end + Self.fields(of: 4, [0x0605_4B50]) + Self.fields(of: 2, [0, 0, entries, entries])
            + Self.fields(of: 4, [min(size, Self.limit32), min(byteCount, Self.limit32)]) + Self.fields(of: 2, [0])
    }
}

// MARK: - Fields

extension ZIPArchive {
    /// Values from these on are in the fields of ZIP64.
    private static let (limit16, limit32) = (0xFFFF, 0xFFFF_FFFF)
    /// The versions of the format that readers need: 2.0, and 4.5 for ZIP64.
    private static let (version, version64) = (20, 45)
    private static let mostNameBytes = 1024

    /// The fields that a head and the directory share: version, names in UTF-8, stored, time, checksum and sizes.
    private static func common(_ entry: Entry, version: Int) -> [UInt8] {
        let size = min(entry.byteCount, limit32)
        let (date, time) = dosTime(entry.modified)
        return fields(of: 2, [version, 0x0800, 0, time, date])
            + fields(of: 4, [Int(entry.checksum), size, size])
    }

    /// Returns the date and the time in two seconds, in the zone of this machine; 1980-01-01 00:00 for no time. The years
    /// are 1980 to 2107.
    private static func dosTime(_ seconds: Int?) -> (date: Int, time: Int) {
        let start = (date: 1 << 5 | 1, time: 0)
        guard var time = seconds else { return start }
        var local = tm()
        guard localtime_r(&time, &local) != nil, local.tm_year >= 80 else { return start }
        guard local.tm_year < 208 else { return (127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29) }
        let date = Int(local.tm_year - 80) << 9 | Int(local.tm_mon + 1) << 5 | Int(local.tm_mday)
        return (date, Int(local.tm_hour) << 11 | Int(local.tm_min) << 5 | Int(min(local.tm_sec, 59)) / 2)
    }

    /// The extended timestamp of Info-ZIP: the time of the last change in UTC. A time beyond 2038 does not fit.
    private static func time(_ entry: Entry) -> [UInt8] {
        guard let seconds = entry.modified, Int32(exactly: seconds) != nil else { return [] }
        return field(0x5455, [1] + fields(of: 4, [seconds]))
    }

    /// Returns an extra field.
    private static func field(_ id: Int, _ content: [UInt8]) -> [UInt8] {
        fields(of: 2, [id, content.count]) + content
    }

    /// Returns numbers in little-endian order.
    private static func fields(of byteCount: Int, _ values: [Int]) -> [UInt8] {
        values.flatMap { value in (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
}
