// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import StillKit

/// The folder of a session: its pictures, its record, and a copy of the session's file.
///
/// All changes are durable when a call returns. The folder is created before its first file is written. Only one
/// process at a time can use it (`flock(2)`). The folder has the mode 0700 and its files 0600, at any umask, because
/// pictures can be of identity cards. The actor has a separate thread, because files block.
actor SessionFolder {
    private let executor = BlockingExecutor("gst-capture.session")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The path of the folder. Before the folder is created, this is its intended path; the final one differs if the
    /// name is taken.
    private(set) var path: String
    /// The parent folder and the session's name; empty for a folder that an earlier run created.
    private let stem: String
    private let definition: String?
    private let disk: SessionDisk
    private var handle: Int32 = -1
    private var isClosed = false
    /// `true` if others can use the folder or files in it: its file system has no modes, or another user owns them.
    private(set) var isExposed = false
    /// The identity of the parent folder. After a stick is unplugged, another folder may have its path.
    private var parent: FileSystemIdentity?
    private let store = StillStore(overwrites: false, latest: nil, isPrivate: true)
    private let recordStore = StillStore(overwrites: true, latest: nil, isPrivate: true)

    /// The name of the copy of the session's file.
    static let definitionName = "session.yaml"

    /// Prepares a folder that is created later.
    ///
    /// - Parameters:
    ///   - parent: The folder in which it is created.
    ///   - definition: The text of the session's file.
    ///   - disk: The conditions for storing a picture.
    ///   - begun: The time in the folder's name, until ``begin(at:)`` sets another.
    init(
        in parent: String, session: String, definition: String?, begun: WallTime = .now(),
        disk: SessionDisk = SessionDisk()
    ) {
        self.disk = disk
        stem = (parent.hasSuffix("/") ? parent : parent + "/") + session
        path = Self.path(stem, begun)
        self.definition = definition
    }

    /// Names the folder after the time at which the session began. A folder that exists already keeps its name.
    func begin(at moment: WallTime) {
        if handle < 0, !stem.isEmpty { path = Self.path(stem, moment) }
    }

    private static func path(_ stem: String, _ moment: WallTime) -> String {
        stem + "-" + (moment.formatted("%Y%m%d-%H%M%S") ?? "\(moment.seconds)")
    }

    /// The path of the folder; `nil` before it is created.
    var madePath: String? { handle >= 0 ? path : nil }

    private init(path: String, handle: Int32, _ disk: SessionDisk) {
        self.disk = disk
        (self.path, self.handle, stem, definition) = (path, handle, "", nil)
    }

    deinit { if handle >= 0 { Glibc.close(handle) } }

    /// Opens the folder of a session that was begun, for this process only. It blocks.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if there is none, or `.temporary` if another process uses it.
    static func open(_ path: String, disk: SessionDisk = SessionDisk()) throws(CaptureError) -> SessionFolder {
        let handle = try lock(path)
        TemporaryFile.removeLeftovers(in: path)
        return SessionFolder(path: path, handle: handle, disk)
    }

    /// Restricts the folder and the session's files in it to their owner, because earlier versions did not.
    ///
    /// - Parameter stages: The names of the session's stages. Other files in the folder keep their modes.
    func restrict(of stages: [String]) {
        let names = DeviceFiles.names(in: path).filter { name in
            [SessionRecord.fileName, Self.definitionName].contains(name) || SessionFileName(name, of: stages) != nil
        }
        for file in [path] + names.map({ path + "/" + $0 }) where !PrivateMode.restrict(file) { isExposed = true }
    }

    /// Checks that the folder can be created.
    func prepare() throws(CaptureError) {
        try disk.checkMount(path)
        guard handle < 0 else { return try StillFolder.checkWritable(path) }
        let parent = StillFolder.path(of: path)
        try StillFolder.make(parent)
        try StillFolder.checkWritable(parent)
        self.parent = FileSystemIdentity(parent)
    }

    /// Replaces the record.
    func save(_ record: SessionRecord) throws(CaptureError) {
        try make()
        try recordStore.write(Array(record.json.utf8), to: path + "/" + SessionRecord.fileName)
    }

    /// Writes a picture, and returns its path. It never replaces a picture.
    @discardableResult
    func add(_ bytes: [UInt8], as name: String) throws(CaptureError) -> String {
        try make()
        try disk.checkSpace(path, for: bytes.count)
        try store.write(bytes, to: path + "/" + name)
        return path + "/" + name
    }

    /// Removes pictures. It is not an error if a picture does not exist.
    func remove(_ names: [String]) throws(CaptureError) {
        try checkPlace()
        for name in names where unlink(path + "/" + name) != 0 && errno != ENOENT {
            throw .file(errno, path + "/" + name, "cannot be removed")
        }
        if !names.isEmpty { try StillFolder.sync(path) }
    }

    /// Checks that the recorded files exist, with the recorded contents.
    ///
    /// - Returns: The names of the files that do not exist.
    /// - Throws: ``CaptureError`` `.inputOutput` if a file has other contents: it may belong to the user.
    func missing(of files: [SessionFileRecord]) throws(CaptureError) -> Set<String> {
        var missing: Set<String> = []
        for file in files {
            let path = path + "/" + file.name
            guard DeviceFiles.exists(path) else {
                missing.insert(file.name)
                continue
            }
            let found = SessionFileRecord(name: file.name, try read(file.name), width: file.width, height: file.height)
            guard found.sha256 == file.sha256.lowercased() else {
                throw CaptureError(
                    .inputOutput, "is not the picture that \(SessionRecord.fileName) names", subject: path,
                    advice: "restore that picture, or move this file away to retake its stage")
            }
        }
        return missing
    }

    /// Removes files that were stored but not recorded: pictures of these stages that are not in `known`.
    func removeStrays(of stages: [String], but known: Set<String>) throws(CaptureError) {
        guard handle >= 0 else { return }
        try remove(DeviceFiles.names(in: path).filter { SessionFileName($0, of: stages) != nil && !known.contains($0) })
    }

    /// Removes the record and the folder after its pictures were removed. If the folder has other files, they and the
    /// folder stay. It does nothing before this session has created the folder: a folder of that name may belong to
    /// another session.
    func clear() {
        guard handle >= 0, isInPlace else { return }
        for name in [SessionRecord.fileName, Self.definitionName] { unlink(path + "/" + name) }
        rmdir(path)
        try? StillFolder.sync(StillFolder.path(of: path))
    }

    /// Returns the contents of a file in the folder.
    func read(_ name: String) throws(CaptureError) -> [UInt8] {
        try RegularFile.read(path + "/" + name, most: Self.mostBytes)
    }

    private static let mostBytes = 1 << 30

    /// Closes the folder, so that other processes can use it.
    func close() {
        if handle >= 0 { Glibc.close(handle) }
        (handle, isClosed) = (-1, true)
    }
}

extension SessionFolder {
    /// Creates the folder, unless it exists already.
    ///
    /// - Throws: ``CaptureError`` if that fails, or another folder has taken its place.
    private func make() throws(CaptureError) {
        guard !isClosed else { throw .calledOff }
        try checkPlace()
        guard handle < 0 else { return }
        let wanted = path
        // Another session may have begun in the same second.
        var number = 1
        while mkdir(path, PrivateMode.folder) != 0 {
            number += 1
            guard errno == EEXIST, number < 100 else { throw .file(errno, path, "cannot be created") }
            path = "\(wanted)-\(number)"
        }
        var made: Int32 = -1
        do throws(CaptureError) {
            isExposed = !PrivateMode.restrict(path)
            made = try Self.lock(path)
            if let definition { try store.write(Array(definition.utf8), to: path + "/" + Self.definitionName) }
            try StillFolder.sync(StillFolder.path(of: path))
            handle = made
        } catch {
            if made >= 0 { Glibc.close(made) }
            rmdir(path)
            path = wanted
            throw error
        }
    }

    /// Checks that the folder is still at its path. If its drive was unplugged or it was removed, it is not created
    /// again elsewhere.
    private func checkPlace() throws(CaptureError) {
        try disk.checkMount(path)
        guard handle < 0 else {
            if !isInPlace { throw .moved(path) }
            return
        }
        let folder = StillFolder.path(of: path)
        if let parent, FileSystemIdentity(folder)?.isFolder(parent) != true { throw .moved(folder) }
    }

    /// `true` while the open folder is at its path.
    private var isInPlace: Bool {
        guard let own = FileSystemIdentity("/proc/self/fd/\(handle)") else { return false }
        return FileSystemIdentity(path)?.isFolder(own) == true
    }

    private static func lock(_ path: String) throws(CaptureError) -> Int32 {
        let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .file(errno, path, "cannot be opened") }
            throw .noFolder(path)
        }
        guard flock(handle, LOCK_EX | LOCK_NB) != 0 else { return handle }
        // Some network file systems have no locks.
        guard errno == EWOULDBLOCK else { return handle }
        Glibc.close(handle)
        throw .isRunning(path)
    }

    /// Returns `true` if a process uses this folder. It blocks.
    static func isLocked(_ path: String) -> Bool {
        let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return false }
        defer { Glibc.close(handle) }
        // A shared lock does not conflict with other processes that check at the same time.
        return flock(handle, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}

extension CaptureError {
    static func noFolder(_ path: String) -> CaptureError {
        CaptureError(.noInput, "there is no such folder", subject: path)
    }

    static func isRunning(_ path: String) -> CaptureError {
        CaptureError(
            .temporary, "another gst-capture runs this session", subject: path, advice: "end that process first")
    }

    fileprivate static func moved(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "is gone, or another folder is in its place", subject: path,
            advice: "connect its drive again, or restore it")
    }
}
