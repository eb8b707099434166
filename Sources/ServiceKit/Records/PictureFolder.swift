// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import LedgerKit
import StillKit
import SystemBase

/// The folder below which all pictures of a series are: the part of its output before the first field.
///
/// A ledger is a file that other programs may write, and may name any path. Its pictures are read and removed only below
/// this folder, which no link and no `..` leaves, and only if they are named as pictures.
struct PictureFolder: Sendable, Hashable {
    /// The absolute path, without a trailing slash.
    let path: String
    /// The format of new pictures; `nil` if their names show none.
    private let format: StillFormat?

    /// Finds the folder of a series; `nil` if the series has no output.
    init?(of series: ServiceSeries) {
        guard let output = series.settings.output, let template = try? FileNameTemplate(parsing: output) else {
            return nil
        }
        path = LedgerPlace.absolute(template.fixedFolder.folder)
        format = StillFormat(fileName: output)
    }

    /// Opens the file of a picture.
    ///
    /// - Parameter file: Its absolute path.
    /// - Throws: The errors of ``RegularFile``; ``RegularFile/Failure/notOpened(_:)`` with `EXDEV` or another number if
    ///   it is not below the folder.
    func open(_ file: String) throws(RegularFile.Failure) -> RegularFile {
        try OpenFolder(path).file(try relative(file))
    }

    /// Removes the file of a picture if it still is this picture. The removal is durable on return. A file that is gone
    /// is no error.
    ///
    /// - Throws: `CaptureError` `.usage` if the file is not in the folder or is not the picture, and the errors of
    ///   files.
    func remove(_ still: StillRecord) throws(CaptureError) {
        let file = still.path ?? ""
        var failure: CaptureError?
        do throws(RegularFile.Failure) {
            let folder = try OpenFolder(path).folder(StillFolder.path(of: try relative(file)))
            let found = try folder.file(DeviceFiles.name(of: file))
            do throws(CaptureError) { try Self.remove(found, of: still, file, in: folder) } catch { failure = error }
        } catch {
            switch error {
            case .notOpened(ENOENT): return
            case .notOpened(let number) where number == EACCES || number == EIO:
                throw .file(number, file, "cannot be opened")
            default: throw Self.foreign(still)
            }
        }
        if let failure { throw failure }
    }

    private static func remove(
        _ found: consuming RegularFile, of still: StillRecord, _ file: String, in folder: borrowing OpenFolder
    ) throws(CaptureError) {
        // The check of a series' limits: only the bytes prove that the file is the picture.
        let digest = try FileDigest(found, file, most: still.still.byteCount)
        guard digest.byteCount == still.still.byteCount, digest.sha256 == still.still.sha256 else {
            throw foreign(still)
        }
        let removal = folder.remove(DeviceFiles.name(of: file))
        guard removal == 0 || removal == ENOENT else { throw .file(removal, file, "cannot be removed") }
        // The pixels of a raw picture are described beside it, and the tags of any picture.
        let name = DeviceFiles.name(of: file)
        if StillFormat(fileName: file) == .raw { _ = folder.remove(StillName.sidePath(of: name)) }
        _ = folder.remove(StillName.sidecarPath(of: name))
        let sync = folder.sync()
        // The folder may be writable and not readable.
        guard sync != EACCES else { return try StillFolder.syncName(of: file) }
        guard sync == 0 else { throw .file(sync, file, "cannot be made durable") }
    }

    /// Returns the path of a picture from the folder.
    ///
    /// - Throws: ``RegularFile/Failure/notOpened(_:)`` with `EXDEV` if it has another folder or is not named as a
    ///   picture.
    private func relative(_ file: String) throws(RegularFile.Failure) -> String {
        let start = LedgerPlace.folder(path)
        let found = StillFormat(fileName: file)
        guard file.hasPrefix(start), found != nil || format == nil else { throw .notOpened(EXDEV) }
        return String(file.dropFirst(start.count))
    }

    private static func foreign(_ still: StillRecord) -> CaptureError {
        CaptureError(
            .usage, "the file is not the picture that the ledger names", subject: "\(still.id)",
            advice: "remove the file by hand")
    }
}

extension ServiceSeries {
    /// The absolute path of the folder below which all pictures of the series are; `nil` if it has no output.
    package var pictureFolder: String? { PictureFolder(of: self)?.path }
}
