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
    /// The notes of a picture, and when the sidecar of each of its files was last changed; 0 if it has none.
    struct Reading {
        var notes = ItemNotes()
        var stamps: [(place: ItemPlace, stamp: Int64)] = []

        mutating func add(_ notes: ItemNotes, _ stamp: Int64, of place: ItemPlace) {
            self.notes = self.notes.merged(with: notes)
            stamps.append((place, stamp))
        }
    }

    /// Reads the sidecars of a picture's files: all tags in the order of the places, the most stars, and the first title.
    ///
    /// - Throws: `CaptureError` if a sidecar cannot be read, or is damaged.
    static func read(_ places: [ItemPlace]) throws(CaptureError) -> Reading {
        var reading = Reading()
        for place in places {
            let (notes, stamp) = try read(place.path)
            reading.add(notes, stamp, of: place)
        }
        return reading
    }

    /// Returns the notes of a file, and when its sidecar was last changed; 0 if it has none.
    ///
    /// - Throws: `CaptureError` if the sidecar cannot be read, or is damaged.
    static func read(_ picture: String) throws(CaptureError) -> (notes: ItemNotes, stamp: Int64) {
        let path = XMPSidecar.path(of: picture)
        // The stamp first: a change meanwhile is read the next time.
        guard let stamp = stamp(of: path) else { return (ItemNotes(), 0) }
        let sidecar = try XMPSidecar(try RegularFile.read(path, most: XMPSidecar.mostBytes + 1), path: path)
        return (ItemNotes(sidecar.values), stamp)
    }

    /// Changes the sidecar of a picture, at the end of a batch. Properties of other programs stay, also a rating below 0, and
    /// a damaged sidecar is not overwritten. The file is complete at any moment.
    ///
    /// - Returns: The new notes, and the file; `nil` if the sidecar stays as it is.
    static func apply(
        _ change: NotesChange, to picture: String, in batch: StillBatch
    ) throws(CaptureError) -> (notes: ItemNotes, file: StillBatch.File?) {
        let path = XMPSidecar.path(of: picture)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // A sidecar that only cannot be reached must not be replaced by a new one.
            guard errno == ENOENT else { throw .file(errno, path, "cannot be read") }
            let values = change.applied(to: SidecarValues()).cleaned
            guard values != SidecarValues() else { return (ItemNotes(), nil) }
            let bytes = try XMPSidecar.new(values, path: path)
            return (ItemNotes(values), try batch.add(bytes, at: path, overwrites: false))
        }
        let old = try RegularFile.read(path, most: XMPSidecar.mostBytes + 1)
        let sidecar = try XMPSidecar(old, path: path)
        let values = change.applied(to: sidecar.values).cleaned
        let bytes = try sidecar.replacing(values)
        return (ItemNotes(values), bytes == old ? nil : try batch.add(bytes, at: path, overwrites: true))
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

    fileprivate func merged(with other: ItemNotes) -> ItemNotes {
        ItemNotes(
            tags: tags + other.tags.filter { !tags.contains($0) }, stars: max(stars, other.stars),
            title: title ?? other.title)
    }
}
#endif
