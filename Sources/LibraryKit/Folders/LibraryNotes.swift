// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
internal import GRDB
import Glibc
import StillKit

/// A change of tags, stars or title.
public struct NotesChange: Sendable, Hashable {
    /// The tags to add, after those that a picture has.
    public var added: [String] = []
    /// The tags to remove.
    public var removed: Set<String> = []
    /// The stars, 0 to 5; `nil` to leave them.
    public var stars: Int?
    /// The title, which is removed if it is empty; `nil` to leave it.
    public var title: String?

    /// Creates a change of nothing.
    public init() {}

    func applied(to values: SidecarValues) -> SidecarValues {
        var values = values
        values.tags.removeAll { removed.contains($0) }
        for tag in added where !values.tags.contains(tag) { values.tags.append(tag) }
        if let stars { values.rating = stars == 0 ? nil : stars }
        if let title { values.title = title.isEmpty ? nil : title }
        return values
    }
}

extension LibraryIndex {
    /// Changes tags, stars or titles: first the sidecars, then the index. A crash in between leaves sidecars that the next
    /// scan reads.
    ///
    /// All sidecars are made durable together: one call for each would take seconds for a thousand. Blocks.
    ///
    /// - Parameter report: Receives the error of each picture whose sidecar cannot be written; it stays as it was.
    /// - Returns: The IDs of the pictures that changed.
    /// - Throws: `CaptureError` `.usage` if a tag or a title is too long, or has no visible character; the errors of the
    ///   index.
    public func change(
        _ identifiers: [ItemID], _ change: NotesChange, report: (CaptureError) -> Void = { _ in }
    ) throws(CaptureError) -> [ItemID] {
        try change.check()
        let written = try changeFiles(of: identifiers, report) { id throws(CaptureError) in try apply(change, to: id) }
        // New names of sidecars.
        for folder in Set(written.flatMap { $0.change.stamps.map(\.place.folder) }) { try StillFolder.sync(folder) }
        try write { writer in
            for (id, reading) in written {
                try writer.set(reading.notes, of: id)
                for (place, stamp) in reading.stamps { try writer.setSidecar(stamp, of: place) }
            }
        }
        return written.map(\.id)
    }

    /// Changes the sidecars of a picture, one for each of its files: a tag that is removed from one would come back from
    /// another.
    ///
    /// - Returns: `nil` if nothing changed.
    private func apply(_ change: NotesChange, to id: ItemID) throws(CaptureError) -> Sidecars.Reading? {
        guard let (item, all) = try item(id) else { throw .unknownItem(id.description) }
        let places = all.filter { $0.role.isPicture && DeviceFiles.exists($0.path) }
        guard !places.isEmpty else { throw .noFile(id) }
        var (reading, isChanged) = (Sidecars.Reading(), false)
        for place in places {
            let before = Sidecars.stamp(of: XMPSidecar.path(of: place.path)) ?? 0
            let (notes, stamp) = try Sidecars.apply(change, to: place.path)
            reading.add(notes, stamp, of: place)
            isChanged = isChanged || stamp != before
        }
        return isChanged || reading.notes != item.notes ? reading : nil
    }
}

extension NotesChange {
    private static let mostTagBytes = 256
    private static let mostTitleBytes = 1024

    fileprivate func check() throws(CaptureError) {
        for tag in added { try Self.check(tag, "the tag", most: Self.mostTagBytes) }
        if let title, !title.isEmpty { try Self.check(title, "the title", most: Self.mostTitleBytes) }
        if let stars, !(0...5).contains(stars) {
            throw CaptureError(.usage, "\(stars) is not a number of stars", subject: "stars", advice: "give 0 to 5")
        }
    }

    private static func check(_ text: String, _ what: String, most: Int) throws(CaptureError) {
        guard text.utf8.count <= most else {
            throw CaptureError(
                .usage, "is longer than \(most) bytes", subject: "\(what) \(text.prefix(20).description.quoted)…",
                advice: "shorten it")
        }
        guard text.contains(where: { !$0.isWhitespace }), text == text.withoutControls else {
            throw CaptureError(
                .usage, "is empty, or has control characters", subject: "\(what) \(text.withoutControls.quoted)",
                advice: "give letters, digits or signs")
        }
    }
}

extension CaptureError {
    package static func unknownItem(_ id: String) -> CaptureError {
        CaptureError(
            .noInput, "there is no such picture", subject: id,
            advice: "gst-capture library search lists pictures with their IDs")
    }

    fileprivate static func noFile(_ id: ItemID) -> CaptureError {
        CaptureError(.noInput, "has no file here", subject: "\(id)", advice: "connect its disk, or scan its folder")
    }
}
#endif
