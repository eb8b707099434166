// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc

/// Says when video devices appear, change their rights, or are let go by a program (`inotify(7)` on `/dev`).
///
/// Not GStreamer's device monitor: that needs udev, and asks each driver for all it can do, which takes seconds with some
/// and holds the very node that a recovery wants. This costs nothing while nothing happens.
final class DeviceWatch: Sendable {
    /// What happens.
    enum Happening: Sendable, Hashable {
        /// A node is there, or others than before may open it.
        case appeared
        /// A program closed a node; it may have been this one.
        case released
    }

    /// What happens, as it happens, from the creation on; ends with ``end()``.
    let happenings: AsyncStream<Happening>
    private let tell: AsyncStream<Happening>.Continuation
    /// Dispatch's own locks guard it.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Begins to watch; `nil` where the kernel does not let us.
    init?(folder: String = "/dev") {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let mask = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE
        guard inotify_add_watch(descriptor, folder, UInt32(mask)) >= 0 else {
            close(descriptor)
            return nil
        }
        (happenings, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "gst-capture.devices"))
        source.setEventHandler { [tell] in
            for happening in Self.read(descriptor) { tell.yield(happening) }
        }
        source.setCancelHandler { [tell] in
            close(descriptor)
            tell.finish()
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// Watches no more.
    func end() { source.cancel() }

    /// What the kernel has to say, each kind once.
    private static func read(_ descriptor: Int32) -> Set<Happening> {
        var happenings: Set<Happening> = []
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                happenings.formUnion(parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
            }
        }
        return happenings
    }

    /// Events as `inotify(7)` packs them; those of nodes that are no video devices are passed over.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Set<Happening> {
        let header = MemoryLayout<inotify_event>.size
        var (happenings, place): (Set<Happening>, Int) = ([], 0)
        while place + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            let end = place + header + Int(event.len)
            guard end <= bytes.count else { break }
            let name = bytes[(place + header)..<end]
            place = end
            // What was lost in a flood may have been anything.
            let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            guard isOverflow || name.starts(with: Array("video".utf8)) else { continue }
            let isRelease = event.mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0
            happenings.insert(isRelease ? .released : .appeared)
        }
        return happenings
    }
}
