// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// An event of `inotify(7)`.
package struct FolderEvent: Hashable, Sendable {
    /// The number of the watch; -1 for an overflow.
    package let watch: Int32
    package let mask: UInt32
    /// The name of the file in the watched folder; empty for an event of the folder or file itself.
    package let name: String

    /// Returns `true` if the event has one of these flags, such as `IN_CREATE`.
    package func has(_ flags: Int32) -> Bool { mask & UInt32(bitPattern: flags) != 0 }

    /// Reads all events that wait in an instance that does not block.
    package static func read(from descriptor: Int32) -> [FolderEvent] {
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            var events: [FolderEvent] = []
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return events }
                events += parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Parses events as the kernel packs them, up to a truncated one.
    package static func parse(_ bytes: UnsafeRawBufferPointer) -> [FolderEvent] {
        let header = MemoryLayout<inotify_event>.size
        var (events, place): ([FolderEvent], Int) = ([], 0)
        while place + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            let end = place + header + Int(event.len)
            guard end <= bytes.count else { break }
            let name = bytes[(place + header)..<end].prefix { $0 != 0 }
            events.append(FolderEvent(watch: event.wd, mask: event.mask, name: String(decoding: name, as: UTF8.self)))
            place = end
        }
        return events
    }
}
