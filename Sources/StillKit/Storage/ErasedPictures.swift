// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The account of the pictures that have left the trash of a folder for good, for programs that have sent them elsewhere:
/// `.gst-capture/erased`, one JSON object a line. Lines are only added, each at once; a line of 200 bytes is less than
/// the ledger keeps of a picture. Every call blocks.
package struct ErasedPictures: Sendable {
    /// A picture that was erased.
    package struct Entry: Sendable, Hashable {
        /// The absolute paths that its files had.
        package let files: [String]
        /// The hash of the picture: 64 hexadecimal digits; `nil` if it is not known.
        package let sha256: String?
    }

    /// Some entries, and the position after them.
    package struct Page: Sendable {
        package let entries: [Entry]
        package let end: Int
    }

    /// The path of the account.
    package let path: String
    private let folder: String

    /// The maximum number of bytes that are read at a time, more than a line can have.
    private static let mostBytes = 1 << 18

    /// - Parameter folder: The folder of pictures.
    package init(_ folder: String) { (self.folder, path) = (folder, "\(folder)/\(Self.hiddenFolder)/erased") }

    private static let hiddenFolder = ".gst-capture"

    /// Returns the folders that can have the account of a folder's pictures: it, and those around it that have a trash.
    package static func folders(around folder: String) -> [String] {
        var (folders, folder) = ([String](), folder)
        while folder.hasPrefix("/"), folder != "/" {
            if DeviceFiles.exists("\(folder)/\(hiddenFolder)") { folders.append(folder) }
            folder = StillFolder.path(of: folder)
        }
        return folders
    }

    /// Distinguishes the account from others at the same path; `nil` if there is none.
    package var identity: String? {
        var status = stat()
        return lstat(path, &status) == 0 ? "erased \(status.st_ino)" : nil
    }

    /// Adds entries of the trash. They are durable on return.
    func append(_ entries: [TrashFolder.Entry]) throws(CaptureError) {
        guard !entries.isEmpty else { return }
        let bytes = entries.flatMap { Array(Self.line($0).utf8) }
        let isNew = !DeviceFiles.exists(path)
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
        guard file >= 0 else { throw .file(errno, path, "cannot be written") }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        let written = write(file, bytes, bytes.count)
        guard written == bytes.count else {
            let failure = written < 0 ? errno : ENOSPC
            // Half a line would spoil the next one.
            if written > 0 { ftruncate(file, size) }
            throw .file(failure, path, "cannot be written")
        }
        guard fdatasync(file) == 0 else { throw .file(errno, path, "cannot be made durable") }
        if isNew { try StillFolder.syncName(of: path) }
    }

    private static func line(_ entry: TrashFolder.Entry) -> String {
        let object = JSONValue.object([
            "erased": .string(WallTime.now().iso8601), "files": .array(entry.paths.map(JSONValue.string)),
            "sha256": .optional(entry.sha256),
        ])
        return object.text + "\n"
    }

    /// Returns the entries after a position; `nil` if there are none.
    ///
    /// - Throws: `CaptureError` if the account cannot be read.
    package func page(from position: Int) throws(CaptureError) -> Page? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(errno, path, "cannot be read")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        let count = pread(file, &bytes, bytes.count, off_t(position))
        guard count >= 0 else { throw .file(errno, path, "cannot be read") }
        // The last line may not be complete yet.
        guard let end = bytes.prefix(count).lastIndex(of: UInt8(ascii: "\n")) else {
            // A line that no program of this kind has written.
            return count == bytes.count ? Page(entries: [], end: position + count) : nil
        }
        let lines = bytes[...end].split(separator: UInt8(ascii: "\n"))
        return Page(entries: lines.compactMap { entry(Array($0)) }, end: position + end + 1)
    }

    /// Reads a line; `nil` if it is damaged.
    private func entry(_ bytes: [UInt8]) -> Entry? {
        guard let text = String(validating: bytes, as: UTF8.self),
            let node = try? JSONNode(text, path: "erased", levels: 3, mostValues: 1000),
            let files = try? node.texts("files")
        else { return nil }
        return Entry(files: files.map { folder + "/" + $0 }, sha256: try? node.optionalText("sha256"))
    }
}
