// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import DatabaseKit
import Glibc

/// The records of this machine, with their history and their pictures.
///
/// Several processes may use the same folder. Every call blocks, and each change is durable on return. A store belongs
/// to one thread at a time.
package final class RecordStore {
    /// The purpose for which a store is opened.
    package enum Access: Sendable {
        /// Reads and changes records, and creates the folder if it is missing.
        case create
        /// Only reads records.
        case read
    }

    /// The folder of the store.
    package let folder: String
    /// The kinds of the records. Records of other kinds can be read and moved into the trash.
    package let kinds: [RecordKind]
    /// The files of the pictures.
    let blobs: RecordBlobFolder

    private let database: Database
    private let clock: () -> WallTime

    /// The name of the database in the folder, and that of its copy.
    package static let fileName = "records.db", backupName = "records-backup.db"

    /// The path of the database.
    package var path: String { folder + "/" + Self.fileName }

    /// Returns the folder of the records in a state folder.
    ///
    /// - Parameter state: The state folder; `nil` for that of the user or of the service manager.
    package static func folder(in state: String?) throws(CaptureError) -> String {
        guard let state = state ?? ProgramFolders.state else {
            throw CaptureError(
                .configuration, "is not set, so the records have no folder", subject: "HOME", advice: "give --state")
        }
        return state + "/records"
    }

    /// Returns `true` if a folder has a store.
    package static func exists(in folder: String) -> Bool { RegularFile.isRegular(folder + "/" + fileName) }

    /// Opens the store of a folder.
    ///
    /// - Parameter clock: Returns the time of a change.
    /// - Throws: `CaptureError` if the file is something else, is damaged, or is missing and may not be created.
    package init(
        folder: String, kinds: [RecordKind], _ access: Access, clock: @escaping () -> WallTime = WallTime.now
    ) throws(CaptureError) {
        (self.folder, self.kinds, self.clock) = (folder, kinds, clock)
        let path = folder + "/" + Self.fileName
        if access == .create { try PrivateFolder.make(folder) }
        blobs = try RecordBlobFolder(folder + "/blobs", creates: access == .create)
        guard access == .create || RegularFile.isRegular(path) else {
            throw CaptureError(.noInput, "there are no records yet", subject: path, advice: "create one first")
        }
        // Only one program creates the tables, or makes them again for other kinds.
        let lock: FileLock?
        if access == .create {
            lock = try FileLock(waitingFor: folder + "/lock")
            Self.makeFile(path)
        } else {
            lock = nil
        }
        do throws(DatabaseError) {
            database = try Database(path, access == .create ? .create : .read)
            if access == .create {
                try RecordSchema.prepare(database)
                try adoptKinds()
            } else {
                try RecordSchema.check(database)
            }
        } catch {
            throw Self.error(error, folder)
        }
        _ = consume lock
    }

    /// Creates an empty file that only its owner may read. SQLite gives its mode to the files beside it.
    private static func makeFile(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func error(_ error: DatabaseError, _ folder: String) -> CaptureError {
        let path = folder + "/" + fileName
        func failure(_ code: CaptureError.Code, _ message: String, _ advice: String) -> CaptureError {
            CaptureError(
                code, message, subject: path, advice: advice,
                systemError: error.systemCode == 0 ? nil : error.systemCode)
        }
        switch error.kind {
        case SQLITE_BUSY, SQLITE_LOCKED: return failure(.temporary, "another program changes it", "try it again")
        case SQLITE_FULL: return failure(.inputOutput, "the disk is full", "make room")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            let backup = folder + "/" + backupName
            let way = RegularFile.isRegular(backup) ? "copy \(backupName) over it, or " : ""
            return failure(
                .inputOutput, "is damaged: \(error.message)",
                "stop gst-capture and move \(fileName), \(fileName)-wal and \(fileName)-shm away; then \(way)get the "
                    + "records from the backend again")
        default:
            return failure(.inputOutput, "cannot be used: \(error.message)", "make room, and its folder writable")
        }
    }

    // MARK: For the parts of the store

    /// Calls `body` with the database, and describes its errors.
    func perform<Result>(_ body: (Database) throws(DatabaseError) -> Result) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body(database) } catch { throw Self.error(error, folder) }
    }

    /// Calls `body` in a transaction, which is durable on return.
    func commit<Result>(_ body: (Database) throws(DatabaseError) -> Result) throws(CaptureError) -> Result {
        try perform { database throws(DatabaseError) in
            var result: Result?
            try database.transaction { () throws(DatabaseError) in result = try body(database) }
            guard let result else { throw DatabaseError(damage: "a transaction has no result") }
            return result
        }
    }

    /// The time of a change that is made now.
    var now: WallTime { clock() }

    /// Returns the kind of an ID; `nil` if there is none.
    package func kind(_ id: String) -> RecordKind? { kinds.first { $0.id == id } }

    /// Makes the index again of each kind whose personal, unique or key fields are others than before: it must not have
    /// personal values.
    private func adoptKinds() throws(DatabaseError) {
        for kind in kinds {
            let form = JSONValue.array(
                kind.fields.map { field in
                    .string("\(field.name) \(field.isPersonal) \(field.isUnique || field.name == kind.key)")
                } + [.optional(kind.key)]
            ).text
            let known = try database.prepare("SELECT text FROM form WHERE kind = ?", [.text(kind.id)])
            if try known.next(), try known.requiredText(0) == form { continue }
            try database.transaction { () throws(DatabaseError) in
                try indexAll(of: kind, in: database)
                try database.insert("INSERT OR REPLACE INTO form VALUES (?, ?)", [.text(kind.id), .text(form)])
            }
        }
    }

    // MARK: Pictures

    /// The largest picture, in bytes.
    package static let mostBlobBytes = RecordBlobFolder.mostBytes

    /// Stores a picture: a JPEG of up to 32 MiB. It is durable on return; without a record that has it, it stays for a
    /// day.
    package func addBlob(_ bytes: [UInt8]) throws(CaptureError) -> RecordBlob { try blobs.add(bytes) }

    /// Returns the path of a picture's file; `nil` if it is not on this machine.
    package func blobPath(_ sha256: String) -> String? { blobs.path(of: sha256) }

    /// Returns the path that the file of a picture has, or would have; `nil` if the text is not a hash.
    package func expectedBlobPath(_ sha256: String) -> String? { blobs.expectedPath(of: sha256) }

    /// Reads the facts of a picture from its file; `nil` if it is not on this machine, or is damaged.
    package func blob(_ sha256: String) -> RecordBlob? { blobs.blob(sha256) }
}
