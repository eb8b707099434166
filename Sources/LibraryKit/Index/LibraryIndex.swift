// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
internal import GRDB
import Glibc

/// The index of a library: an SQLite file, in which each list and search takes a few milliseconds, also with a million
/// pictures.
///
/// The index is a cache. A file that is damaged, or is of another version, is replaced by one without pictures, which its
/// owner fills from the accounts of the pictures. The folders of the library stay known, and are *stale* then.
///
/// Any thread may use it, also several at a time; one changes it at a time. Every call blocks. Other processes may use the
/// file meanwhile.
public final class LibraryIndex: Sendable {
    /// The path of the file.
    public let path: String
    /// The board of the IDs.
    public let board: BoardName
    /// `true` if the file was made now, and has to be filled.
    public let isNew: Bool
    private let folder: String
    private let pool: DatabasePool

    /// Opens the index of a folder, or creates one.
    ///
    /// - Parameters:
    ///   - folder: An existing folder, such as `library` in the state folder of a service.
    ///   - board: The name of this board; `nil` for that of the library, which is the host name when it is created.
    ///   - renames: `true` to give the library another board, which makes its index empty; `false` to refuse that.
    /// - Throws: `CaptureError` `.cannotCreate`, `.permission` or `.inputOutput` if the file cannot be opened,
    ///   `.configuration` if the library belongs to another board.
    public init(folder: String, board: BoardName? = nil, renames: Bool = false) throws(CaptureError) {
        let (path, record) = (folder + "/index.db", LibraryRecord(in: folder))
        // Without a sound record, the index still has the name.
        let known = record?.board ?? Self.board(ofIndex: path)
        if let board, let known, board != known, !renames { throw .otherBoard(known, path) }
        let name = board ?? known ?? .ofHost()
        (self.folder, self.path, self.board) = (folder, path, name)
        do {
            (pool, isNew) = try Self.open(path, name)
        } catch let error as DatabaseError where error.isOfContent {
            Self.removeFiles(path)
            (pool, isNew) = try Self.catching(path) { try Self.open(path, name) }
        } catch {
            throw .index(error, path)
        }
        if isNew { try write { writer in for root in record?.staleRoots ?? [] { try writer.setRoot(root) } } }
        if record?.board != name { try write { try self.record($0) } }
    }

    /// Returns the board of an index; `nil` if there is none, or it is damaged.
    private static func board(ofIndex path: String) -> BoardName? {
        guard DeviceFiles.exists(path), let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return nil
        }
        let text = try? queue.read { try String.fetchOne($0, sql: "SELECT board FROM meta") }
        return text.flatMap { BoardName($0) }
    }

    private static func open(_ path: String, _ board: BoardName) throws -> (DatabasePool, isNew: Bool) {
        let pool = try DatabasePool(path: path, configuration: configuration)
        let isNew = try pool.write { database in
            // The connection that writes: the new rows of a scan are spread over all pages of the indices. Fewer checkpoints
            // write a page that changes again less often.
            try database.execute(sql: "PRAGMA cache_size = -14000; PRAGMA wal_autocheckpoint = 8000")
            let isNew = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
            if isNew { try IndexSchema.create(database, board: board) }
            // A file of another version is as good as damaged: it is only a cache.
            guard try IndexSchema.fits(database, board: board) else {
                throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "is not an index of this version and board")
            }
            return isNew
        }
        return (pool, isNew)
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        // A rebuild in another process commits every 10,000 pictures.
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.qos = .default
        configuration.label = "gst-capture.library"
        configuration.prepareDatabase { database in
            // After a power cut, the newest changes are missing, and follow from the accounts again.
            try database.execute(
                sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000; PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    private static func removeFiles(_ path: String) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

    /// Runs one transaction, all or nothing.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if the disk or the file is damaged, `.temporary` while another process
    ///   changes the index.
    @discardableResult
    func write<Result>(_ body: (IndexWriter) throws -> Result) throws(CaptureError) -> Result {
        try Self.catching(path) {
            try pool.write { database in
                let writer = try IndexWriter(database)
                let result = try body(writer)
                try writer.finish()
                return result
            }
        }
    }

    /// Notes the marker and the state of a folder, and makes the folder a part of the library.
    func setRoot(_ root: LibraryRoot) throws(CaptureError) {
        try write { writer in
            try writer.setRoot(root)
            try record(writer)
        }
    }

    /// Forgets a folder, with the pictures that have no file in another one. Its files, and folders of the library inside
    /// it, stay.
    ///
    /// - Throws: `CaptureError` `.noInput` if the folder is not one of the library.
    public func forget(_ path: String) throws(CaptureError) {
        let roots = try roots()
        guard let root = roots.first(where: { $0.path == path }) else {
            throw CaptureError(
                .noInput, "is not a folder of the library", subject: path,
                advice: roots.isEmpty
                    ? "it has no folders" : "name one of: \(roots.map(\.path).joined(separator: ", "))")
        }
        try write { writer in
            try writer.removeAll(in: FolderRange(root.path, among: roots))
            try writer.removeRoot(root.path)
            try record(writer)
        }
    }

    /// Writes the folders into the record if they changed. Within a transaction, no other process does so.
    private func record(_ writer: IndexWriter) throws {
        let record = LibraryRecord(board: board, roots: try LibraryRoot.fetchAll(writer.database))
        if record != LibraryRecord(in: folder) { try record.write(in: folder) }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws(CaptureError) -> Result {
        try Self.catching(path) { try pool.read(body) }
    }

    /// Closes the file, and moves its log into it. Later calls throw.
    public func close() throws(CaptureError) { try Self.catching(path) { try pool.close() } }

    private static func catching<Result>(_ path: String, _ body: () throws -> Result) throws(CaptureError) -> Result {
        do { return try body() } catch { throw .index(error, path) }
    }
}

extension DatabaseError {
    /// `true` if the file is damaged, or is not an index.
    var isOfContent: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode)
            || resultCode == .SQLITE_ERROR && message?.hasPrefix("no such") == true
    }
}

extension CaptureError {
    fileprivate static func otherBoard(_ board: BoardName, _ path: String) -> CaptureError {
        CaptureError(
            .configuration, "the IDs of this library begin with \(board)", subject: path,
            advice: "leave out the board, or change the IDs with gst-capture library rebuild --board NAME")
    }

    /// Creates the error of an index; an error of a caller stays as it is.
    static func index(_ error: any Error, _ path: String) -> CaptureError {
        if let error = error as? CaptureError { return error }
        guard let failure = error as? DatabaseError else { return CaptureError(.software, "\(error)", subject: path) }
        let reason = (failure.message ?? "\(failure.resultCode)").withoutControls
        if failure.isOfContent {
            return CaptureError(
                .inputOutput, "the index is damaged: \(reason)", subject: path,
                advice: "run gst-capture library rebuild; pictures, tags and albums are not affected")
        }
        switch failure.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return CaptureError(
                .temporary, "another program is changing the index", subject: path, advice: "try again later")
        case .SQLITE_FULL:
            return CaptureError(.inputOutput, "the disk is full", subject: path, advice: "make room")
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            return CaptureError(
                .cannotCreate, "the index cannot be written: \(reason)", subject: path,
                advice: "make its folder writable")
        default: return CaptureError(.inputOutput, "the index cannot be used: \(reason)", subject: path)
        }
    }
}
#endif
