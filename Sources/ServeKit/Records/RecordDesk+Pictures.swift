// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import RecordKit
import ServiceKit
import SessionKit
import StillKit

// Pictures for records: those that clients send, and those of sessions.

extension RecordDesk {
    /// The quality of pictures that are encoded.
    static let quality = 92

    /// Stores a picture; a PNG becomes a JPEG.
    ///
    /// - Throws: `CaptureError` if it is no sound picture, and the errors of the store.
    nonisolated func add(picture bytes: [UInt8], removesLocation: Bool = false) async throws -> RecordBlob {
        try await LibraryPicture.check(bytes)
        let picture = removesLocation ? try await LibraryPicture.withoutLocation(bytes) : bytes
        guard picture.first != 0xFF else { return try await perform { try $0.addBlob(picture) } }
        let pixels = try await StillCoding.pixels(of: picture, .png)
        let jpeg = try await StillCoding.encode(pixels, .jpeg, quality: Self.quality)
        return try await perform { try $0.addBlob(jpeg) }
    }

    /// Returns the bytes of a picture of records.
    ///
    /// - Throws: As ``path(ofPicture:)``.
    nonisolated func bytes(of sha256: String) async throws -> [UInt8] {
        let path = try await path(ofPicture: sha256)
        return try await BlockingWork.run { () throws(CaptureError) in
            do throws(CaptureError) {
                return try RegularFile.read(path, most: RecordStore.mostBlobBytes + 1)
            } catch {
                throw CaptureError.unknown("picture of records", sha256)
            }
        }
    }

    /// Stores the picture of a stage of a run.
    ///
    /// - Returns: The value of a side: the crop with its place in the whole picture, or the whole picture; `nil` if the
    ///   stage has no picture.
    nonisolated func picture(
        ofStage stage: String, of run: SessionArchive.Entry, _ session: ServiceSession
    ) async throws -> RecordPicture? {
        guard let still = run.record.pictures.last(where: { $0.stage == stage && !$0.isClip }) else { return nil }
        let file = try await add(picture: try await Self.bytes(still.number, of: run))
        let outline = still.outline?.name ?? session.file.session.stages.first { $0.name == stage }?.outline
        guard still.crop != nil, let outline, Drawings.isName(outline) else { return RecordPicture(file) }
        let whole = try await add(picture: try await Self.bytes(still.number, whole: true, of: run))
        return RecordPicture(file, origin: .init(whole, outline: outline, adjustment: CropAdjustment()))
    }

    private static func bytes(
        _ number: Int, whole isWhole: Bool = false, of run: SessionArchive.Entry
    ) async throws(CaptureError) -> [UInt8] {
        try await BlockingWork.run { () throws(CaptureError) in
            let file = try SessionRuns.picture(number, whole: isWhole, of: run)
            guard let bytes = try? file.open().bytes(most: RecordStore.mostBlobBytes + 1) else {
                throw CaptureError(.noInput, "the file of the picture cannot be read", subject: file.name)
            }
            return bytes
        }
    }

    /// Returns a content with the values of a run's form, and with its pictures. A side gets the picture of the stage that
    /// its kind names, or that has its name; an empty field gets the code that its kind reads from a side.
    nonisolated func content(
        of kind: RecordKind, from run: SessionArchive.Entry, _ session: ServiceSession
    ) async throws -> RecordContent {
        var content = RecordContent()
        for field in kind.fields { content.values[field.name] = run.record.progress.form[field.name] }
        for side in kind.sides {
            guard let stage = side.stage(of: session) else { continue }
            content.sides[side.name] = try await picture(ofStage: stage, of: run, session)
        }
        for side in kind.sides where kind.fields.contains(where: { $0.source?.side == side.name }) {
            guard let picture = content.sides[side.name] else { continue }
            // A picture in which nothing can be read leaves the field empty.
            let read = try? await codes(in: picture.file.sha256, of: side.name, kind).read
            content.values.merge(read ?? [:]) { typed, _ in typed }
        }
        return content
    }

    /// Reads the codes in a picture, and the values of the fields that are read from a side: the first code that is valid
    /// there.
    nonisolated func codes(
        in sha256: String, of side: String, _ kind: RecordKind
    ) async throws -> (read: [String: String], codes: [String]) {
        let bytes = try await bytes(of: sha256)
        let codes = try await BarcodeReader.codes(in: bytes)
        var read: [String: String] = [:]
        for field in kind.fields where field.source?.side == side {
            read[field.name] = codes.first { (try? field.form.checked($0)) != nil }
        }
        return (read, codes)
    }
}

extension RecordSide {
    /// The stage of a session whose picture the side gets; `nil` if it gets none.
    fileprivate func stage(of session: ServiceSession) -> String? {
        let stages = session.file.session.stages.map(\.name)
        guard let name = self.session else { return stages.first { $0 == self.name } }
        guard name == session.file.session.name else { return nil }
        return stage ?? stages.first
    }
}
#endif
