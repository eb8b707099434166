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
    /// The number of sidecars that become durable together: each has an open file meanwhile.
    private static let notesPart = 200

    /// Changes tags, stars or titles: first the sidecars, then the index. A crash in between leaves sidecars that the next
    /// scan reads.
    ///
    /// All sidecars are made durable together: one call for each would take seconds for a thousand. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture whose sidecar cannot be written; it stays as it was.
    ///   - progress: Receives the number of pictures that are done, and of all.
    /// - Returns: The IDs of the pictures that changed.
    /// - Throws: `CaptureError` `.usage` if a tag or a title is too long, or has no visible character; `.temporary` if the task
    ///   is canceled, after whole pictures; the errors of the index.
    public func change(
        _ identifiers: [ItemID], _ change: NotesChange, report: (CaptureError) -> Void = { _ in },
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) -> [ItemID] {
        try change.check()
        return try inParts(identifiers, of: Self.notesPart, progress) { part throws(CaptureError) in
            let written = try changeSidecars(of: part, change, report)
            try write { writer in
                for (id, reading) in written {
                    try writer.set(reading.notes, of: id)
                    for (place, stamp) in reading.stamps { try writer.setSidecar(stamp, of: place) }
                }
            }
            return written.map(\.id)
        }
    }

    private func changeSidecars(
        of identifiers: [ItemID], _ change: NotesChange, _ report: (CaptureError) -> Void
    ) throws(CaptureError) -> [(id: ItemID, reading: Sidecars.Reading)] {
        try SidecarLock(besides: path).hold { () throws(CaptureError) in
            let batch = StillBatch()
            let plans = try self.plans(of: identifiers, change, in: batch, report)
            try batch.finish()
            return plans.compactMap { plan in
                do throws(CaptureError) {
                    return (plan.id, try plan.reading())
                } catch {
                    report(error)
                    return nil
                }
            }
        }
    }

    private func plans(
        of identifiers: [ItemID], _ change: NotesChange, in batch: StillBatch, _ report: (CaptureError) -> Void
    ) throws(CaptureError) -> [NotesPlan] {
        var plans: [NotesPlan] = []
        for id in identifiers {
            do throws(CaptureError) {
                guard let (item, places) = try item(id) else { throw .unknownItem(id.description) }
                let plan = try NotesPlan(change, item, places, in: batch)
                if plan.changesAnything { plans.append(plan) }
            } catch {
                if error.subject == path { throw error }
                report(error)
            }
        }
        return plans
    }
}

/// The change of a picture's sidecars, one for each of its files: a tag that is removed from one would come back from
/// another.
private struct NotesPlan {
    let id: ItemID
    private let old: ItemNotes
    private var sidecars: [(place: ItemPlace, notes: ItemNotes, file: StillBatch.File?)] = []

    init(
        _ change: NotesChange, _ item: LibraryItem, _ places: [ItemPlace], in batch: StillBatch
    ) throws(CaptureError) {
        (id, old) = (item.id, item.notes)
        for place in places where place.role.isPicture && DeviceFiles.exists(place.path) {
            let (notes, file) = try Sidecars.apply(change, to: place.path, in: batch)
            sidecars.append((place, notes, file))
        }
        guard !sidecars.isEmpty else { throw .noFile(id) }
    }

    /// `true` if a sidecar changes, or the index does not have the notes of the sidecars.
    var changesAnything: Bool { sidecars.contains { $0.file != nil } || merged.notes != old }

    private var merged: Sidecars.Reading {
        var reading = Sidecars.Reading()
        for (place, notes, _) in sidecars {
            reading.add(notes, Sidecars.stamp(of: XMPSidecar.path(of: place.path)) ?? 0, of: place)
        }
        return reading
    }

    /// Returns what the sidecars contain after the batch.
    ///
    /// - Throws: The error of the first sidecar that could not be written.
    func reading() throws(CaptureError) -> Sidecars.Reading {
        if let failure = sidecars.lazy.compactMap(\.file?.failure).first { throw failure }
        return merged
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
