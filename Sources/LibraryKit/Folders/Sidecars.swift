// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import LedgerKit
import StillKit

/// The sidecars of a library's pictures on the disk: `NAME.jpg.xmp` beside each picture that has tags, stars or a title.
///
/// Every call blocks.
enum Sidecars {
    /// Returns the notes of a picture, and when its sidecar was last changed; 0 if it has none.
    ///
    /// - Throws: `CaptureError` if the sidecar cannot be read, or is damaged.
    static func read(_ picture: String) throws(CaptureError) -> (notes: ItemNotes, stamp: Int64) {
        let path = XMPSidecar.path(of: picture)
        // The stamp first: a change meanwhile is read the next time.
        guard let stamp = stamp(of: path) else { return (ItemNotes(), 0) }
        let sidecar = try XMPSidecar(try RegularFile.read(path, most: XMPSidecar.mostBytes + 1), path: path)
        return (ItemNotes(sidecar.values), stamp)
    }

    /// Writes the notes of a picture. Properties of other programs stay, and a damaged sidecar is not overwritten. The file
    /// is complete at any moment; it is durable after `StillStore.makeDurable`.
    ///
    /// - Returns: When the sidecar was last changed; 0 if there is none, because there are no notes.
    static func write(_ notes: ItemNotes, of picture: String) throws(CaptureError) -> Int64 {
        let path = XMPSidecar.path(of: picture)
        let bytes: [UInt8]
        if stamp(of: path) != nil {
            let old = try RegularFile.read(path, most: XMPSidecar.mostBytes + 1)
            bytes = try XMPSidecar(old, path: path).replacing(SidecarValues(notes))
            guard bytes != old else { return stamp(of: path) ?? 0 }
        } else {
            guard notes != ItemNotes() else { return 0 }
            bytes = try XMPSidecar.new(SidecarValues(notes), path: path)
        }
        try StillStore(overwrites: true, latest: nil).place(bytes, at: path)
        return stamp(of: path) ?? 0
    }

    /// When a file was last changed, in nanoseconds since 1970, never 0; `nil` if there is none.
    static func stamp(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.stamp
    }
}

extension stat {
    /// When the content was last changed, in nanoseconds since 1970; never 0.
    var stamp: Int64 {
        let time = WallTime(seconds: Int64(st_mtim.tv_sec), nanoseconds: Int32(st_mtim.tv_nsec), utcOffset: 0)
        return time.nanosecondsSince1970 == 0 ? 1 : time.nanosecondsSince1970
    }
}

extension ItemNotes {
    init(_ values: SidecarValues) {
        self.init(tags: values.tags, stars: max(0, values.rating ?? 0), title: values.title)
    }
}

extension SidecarValues {
    init(_ notes: ItemNotes) {
        self.init(tags: notes.tags, rating: notes.stars == 0 ? nil : notes.stars, title: notes.title)
    }
}
#endif
