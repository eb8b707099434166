// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import StillKit

/// The folder of a session: its pictures, its record, and a copy of the session's file.
///
/// When a call returns, its files and the removal of pictures are durable. The first file creates the folder. Only one
/// actor at a time can use the folder, in any process, if the file system has locks (`flock(2)`). The folder has the
/// mode 0700 and its files 0600, at any umask, because pictures can be of identity cards. The actor has its own
/// executor, because file calls block.
actor SessionFolder {
    private let executor = BlockingExecutor("gst-capture.session")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The path of the folder. Before the folder is created, this is its intended path; the final one differs if the
    /// name is taken.
    private(set) var path: String
    /// The path of the folder without its time; empty for a folder that an earlier run created.
    private let stem: String
    /// The text of the session's file; `nil` to write no copy.
    private let definition: String?
    private let policy: StoragePolicy
    /// The open folder, which holds the lock; negative before the folder is created and after ``close()``.
    private var handle: Int32 = -1
    private var isClosed = false
    /// `true` if other users can read the folder or files in it: the file system has no modes, or another user owns
    /// them.
    private var isExposed = false
    /// The identity of the parent folder; `nil` before ``prepare()``. After a stick is unplugged, another folder may
    /// have its path.
    private var parent: FileSystemIdentity?
    private let store = StillStore(overwrites: false, latest: nil, isPrivate: true)
    private let recordStore = StillStore(overwrites: true, latest: nil, isPrivate: true)

    /// The name of the copy of the session's file.
    static let definitionName = "session.yaml"

    /// Prepares a folder that is created later.
    ///
    /// - Parameters:
    ///   - parent: The path of the parent folder.
    ///   - session: The name of the session.
    ///   - definition: The text of the session's file; `nil` to write no copy.
    ///   - policy: The conditions for storing a picture.
    ///   - begun: The time in the folder's name, until ``begin(at:)`` sets another.
    init(
        in parent: String, session: String, definition: String?, begun: WallTime = .now(),
        policy: StoragePolicy = StoragePolicy()
    ) {
        self.policy = policy
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

    private init(path: String, handle: Int32, _ policy: StoragePolicy) {
        self.policy = policy
        (self.path, self.handle, stem, definition) = (path, handle, "", nil)
    }

    deinit { Self.unlock(handle) }

    /// Opens and locks the folder of an earlier run, and removes the temporary files of killed processes. It blocks.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if there is no such folder, or `.temporary` if it is locked.
    static func open(
        _ path: String, policy: StoragePolicy = StoragePolicy()
    ) throws(CaptureError) -> SessionFolder {
        let handle = try lock(path)
        TemporaryFile.removeLeftovers(in: path)
        return SessionFolder(path: path, handle: handle, policy)
    }

    /// Restricts the folder and the session's files in it to their owner, because earlier versions did not.
    ///
    /// - Parameter stages: The session's stages. Other files in the folder keep their modes.
    func restrict(of stages: SessionFileName.Stages) {
        let names = DeviceFiles.names(in: path).filter { name in
            [SessionRecord.fileName, Self.definitionName].contains(name) || stages.havePicture(named: name)
        }
        for file in [path] + names.map({ path + "/" + $0 }) where !PrivateMode.restrict(file) { isExposed = true }
    }

    /// Creates the parent folder if it is missing, and checks that the folder can be created in it. If the folder is
    /// open already, checks only that it is writable.
    ///
    /// - Throws: ``CaptureError`` if the required mount point is not mounted, or a folder cannot be created or written.
    func prepare() throws(CaptureError) {
        try policy.checkMount(of: path)
        guard handle < 0 else { return try StillFolder.checkWritable(path) }
        let parent = StillFolder.path(of: path)
        try StillFolder.make(parent)
        try StillFolder.checkWritable(parent)
        self.parent = FileSystemIdentity(parent)
    }

    /// Replaces the record; creates the folder if it does not exist.
    ///
    /// - Returns: The path of the folder, and `true` if other users can read it.
    @discardableResult
    func save(_ record: SessionRecord) throws(CaptureError) -> (path: String, isExposed: Bool) {
        try make()
        try recordStore.write(Array(record.json.utf8), to: path + "/" + SessionRecord.fileName)
        return (path, isExposed)
    }

    /// Writes a picture of this size in pixels; creates the folder if it does not exist.
    ///
    /// - Returns: The path of the folder, and the record of the file.
    /// - Throws: ``CaptureError`` if the disk must keep more space free, if a file has that name, or if the picture
    ///   cannot be written.
    @discardableResult
    func add(
        _ bytes: [UInt8], as name: String, width: Int, height: Int
    ) throws(CaptureError) -> (path: String, file: SessionFileRecord) {
        try make()
        try policy.checkSpace(of: path, for: bytes.count)
        try store.write(bytes, to: path + "/" + name)
        return (path, SessionFileRecord(name: name, bytes, width: width, height: height))
    }

    /// Creates the folder if it does not exist; returns its path, for the file of a clip.
    ///
    /// - Throws: ``CaptureError`` if the folder cannot be created.
    func open() throws(CaptureError) -> String {
        try make()
        return path
    }

    /// Checks that the disk keeps enough space free after a file of this size.
    func checkSpace(for byteCount: Int) throws(CaptureError) { try policy.checkSpace(of: path, for: byteCount) }

    /// Restricts the durable file of a clip to the owner of the folder, and reads its hash.
    ///
    /// - Returns: The path of the folder, and the record of the file.
    /// - Throws: ``CaptureError`` if the folder is not at its path, or the file cannot be read.
    func adopt(
        _ name: String, byteCount: Int, width: Int, height: Int
    ) throws(CaptureError) -> (path: String, file: SessionFileRecord) {
        try checkPlace()
        let file = path + "/" + name
        if !PrivateMode.restrict(file) { isExposed = true }
        let digest = try FileDigest(file, most: byteCount)
        return (
            path,
            SessionFileRecord(
                name: name, byteCount: digest.byteCount, sha256: digest.sha256, width: width, height: height)
        )
    }

    /// Removes pictures with their sidecars. It is not an error if a picture does not exist.
    ///
    /// - Throws: The error of the first picture that cannot be removed, after the others are removed; ``CaptureError``
    ///   also if the folder is not at its path, or if the removal cannot be made durable.
    func remove(_ names: [String]) throws(CaptureError) {
        guard !names.isEmpty else { return }
        try checkPlace()
        var failure: CaptureError?
        let sidecars = names.map { StillName.sidecarPath(of: $0) }
        for name in names + sidecars where unlink(path + "/" + name) != 0 && errno != ENOENT {
            let number = errno
            failure = failure ?? .file(number, path + "/" + name, "cannot be removed")
        }
        try StillFolder.sync(path)
        if let failure { throw failure }
    }

    /// Checks that the recorded files exist, with the recorded contents.
    ///
    /// - Returns: The names of the files that do not exist.
    /// - Throws: ``CaptureError`` `.inputOutput` if a file has other contents: it may belong to the user. An error also
    ///   if a file cannot be read.
    func missing(of files: [SessionFileRecord]) throws(CaptureError) -> Set<String> {
        var missing: Set<String> = []
        for file in files {
            let path = path + "/" + file.name
            guard DeviceFiles.exists(path) else {
                missing.insert(file.name)
                continue
            }
            guard try FileDigest(path, most: file.byteCount).sha256 == file.sha256.lowercased() else {
                throw CaptureError(
                    .inputOutput, "is not the picture that \(SessionRecord.fileName) names", subject: path,
                    advice: "restore that picture, or move this file away to retake its stage")
            }
        }
        return missing
    }

    /// Removes all pictures and crops of these stages, except for the files in `known`. Does nothing before the folder
    /// is created.
    func removeStrays(of stages: SessionFileName.Stages, but known: Set<String>) throws(CaptureError) {
        guard handle >= 0 else { return }
        // The sidecar of a picture that is gone is a stray, too.
        let names = Set(DeviceFiles.names(in: path).map(StillName.pictureName))
        try remove(names.filter { stages.havePicture(named: $0) && !known.contains($0) }.sorted())
    }

    /// Removes the record, the copy of the session's file, and the folder, after its pictures were removed. If the
    /// folder has other files, they and the folder stay. It does nothing before this session has created the folder: a
    /// folder of that name may belong to another session.
    ///
    /// - Throws: ``CaptureError`` if the folder is not at its path, or if a file or the folder cannot be removed.
    func clear() throws(CaptureError) {
        guard handle >= 0 else { return }
        try checkPlace()
        // The record is removed last: without it, a second attempt to discard the session would not find it.
        for name in [Self.definitionName, SessionRecord.fileName] {
            guard unlink(path + "/" + name) == 0 || errno == ENOENT else {
                throw .file(errno, path + "/" + name, "cannot be removed")
            }
        }
        let number = rmdir(path) == 0 ? 0 : errno
        // The last two are the errors of a mount point, and of a path such as ".".
        guard [0, ENOTEMPTY, EEXIST, EBUSY, EINVAL].contains(number) else {
            throw .file(number, path, "cannot be removed")
        }
        try? StillFolder.sync(StillFolder.path(of: path))
    }

    /// Returns the contents of a file in the folder, up to 1 GiB.
    func read(_ name: String) throws(CaptureError) -> [UInt8] {
        try RegularFile.read(path + "/" + name, most: Self.mostBytes)
    }

    private static let mostBytes = 1 << 30

    /// Unlocks the folder for other processes. Later writes throw.
    func close() {
        Self.unlock(handle)
        (handle, isClosed) = (-1, true)
    }
}

extension SessionFolder {
    /// Creates and locks the folder, and writes the copy of the session's file, unless the folder is open already.
    ///
    /// - Throws: ``CaptureError`` if that fails, if the folder is not at its path, or after ``close()``.
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
            try StillFolder.syncName(of: path)
            handle = made
        } catch {
            Self.unlock(made)
            unlink(path + "/" + Self.definitionName)
            rmdir(path)
            path = wanted
            throw error
        }
    }

    /// Checks that the folder, or before its creation the parent folder, is still at its path. A folder that was
    /// removed, or whose drive was unplugged, must not be created again elsewhere.
    private func checkPlace() throws(CaptureError) {
        try policy.checkMount(of: path)
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

    /// Opens and locks a folder; returns its descriptor. On a file system without locks, only opens it.
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

    /// Unlocks and closes a folder; does nothing if `handle` is negative.
    ///
    /// Closing alone would keep the lock while a child has the descriptor, too: from `fork(2)` to `execve(2)`.
    private static func unlock(_ handle: Int32) {
        guard handle >= 0 else { return }
        flock(handle, LOCK_UN)
        Glibc.close(handle)
    }

    /// Returns `true` if a process has locked this folder; `false` also if the folder cannot be opened, or if its file
    /// system has no locks. It blocks.
    static func isLocked(_ path: String) -> Bool {
        let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return false }
        defer { unlock(handle) }
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
