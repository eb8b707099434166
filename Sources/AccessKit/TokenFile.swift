// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit
import SystemBase

/// The file `tokens.json` in the state folder of a service. Several processes may use it. Every call blocks.
public struct TokenFile: Sendable {
    /// The path of the file.
    public let path: String

    private let folder: String

    private static let mostBytes = 256 << 10

    /// - Parameter folder: The state folder. It does not have to exist.
    public init(folder: String) { (self.folder, path) = (folder, folder + "/tokens.json") }

    /// Creates the state folder, with the mode 0700, if it does not exist.
    public func makeFolder() throws(CaptureError) { try PrivateFolder.make(folder) }

    /// A version of the file. Each change makes another file.
    public struct Version: Sendable, Equatable {
        private let numbers: [Int]

        fileprivate init(_ status: stat) {
            numbers = [
                Int(bitPattern: UInt(status.st_ino)), Int(status.st_size), status.st_mtim.tv_sec,
                status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// The version of the file now; `nil` if it does not exist.
    public var version: Version? {
        var status = stat()
        return stat(path, &status) == 0 ? Version(status) : nil
    }

    /// Reads the file; `nil` if it does not exist.
    ///
    /// - Throws: `CaptureError` if the file cannot be read, belongs to another user, or has a mistake.
    public func read() throws(CaptureError) -> TokenTable? {
        guard DeviceFiles.exists(path) else { return nil }
        let file = try RegularFile.opened(path)
        guard file.status.st_uid == geteuid() || file.status.st_uid == 0, file.status.st_mode & 0o022 == 0 else {
            throw CaptureError(
                .permission, "other users can change it", subject: path,
                advice: "chown it to the user of the service, and chmod it to 600")
        }
        let bytes = try RegularFile.read(path, most: Self.mostBytes + 1)
        guard bytes.count <= Self.mostBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw CaptureError(.inputOutput, "is not a token file", subject: path)
        }
        return try TokenTable(parsing: text, path: path)
    }

    /// Reads the file, changes the table, and replaces the file atomically and durably with the mode 0600. Other
    /// processes that change it wait meanwhile (`flock(2)`). If `change` throws, the file stays.
    ///
    /// - Returns: The result of `change`, and the changed table.
    public func update<Result>(
        _ change: (inout TokenTable) throws(CaptureError) -> Result
    ) throws(CaptureError) -> (result: Result, table: TokenTable) {
        try makeFolder()
        let lock = try FileLock(waitingFor: folder + "/tokens.lock")
        giveToOwner(lock.descriptor)
        var table = try read() ?? TokenTable()
        let result = try change(&table)
        try write(table.text)
        return (result, table)
    }

    /// Exchanges a pairing link for a token, see ``TokenTable/redeem(_:as:at:)``.
    public func redeem(
        _ link: TokenSecret, as secret: TokenSecret
    ) throws(CaptureError) -> (token: AccessToken?, table: TokenTable) {
        let (token, table) = try update { table throws(CaptureError) in
            try table.redeem(link, as: secret, at: .now())
        }
        return (token, table)
    }

    private func write(_ text: String) throws(CaptureError) {
        // The lock makes the name of the temporary file this process's own.
        let temporary = path + ".tmp"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file(errno, temporary, "cannot be created") }
        defer { close(file) }
        // The umask may have removed the owner's bits.
        fchmod(file, 0o600)
        giveToOwner(file)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw .file(errno, temporary, "cannot be written") }
            bytes = bytes.dropFirst(max(0, count))
        }
        guard fsync(file) == 0, rename(temporary, path) == 0 else {
            throw .file(errno, path, "cannot be made durable")
        }
        try StillFolder.sync(folder)
    }

    /// Gives a file that root creates to the owner of the folder, which is the user of the service.
    private func giveToOwner(_ file: Int32) {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0 else { return }
        _ = fchown(file, status.st_uid, status.st_gid)
    }
}
