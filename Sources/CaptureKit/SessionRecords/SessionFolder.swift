// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The folder of a session: its pictures, its record, and a copy of the file that it was run from.
///
/// All is durable when a call returns. The folder is made when there is something to put into it. One process at a time
/// has it (`flock(2)`). The folder has the mode 0700 and its files 0600, at any umask: pictures can be of identity cards.
/// An actor on a thread of its own, as files block.
actor SessionFolder {
    private let executor = BlockingExecutor("gst-capture.session")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Where it is; before it is made, where it is going to be, unless somebody takes the name meanwhile.
    private(set) var path: String
    /// The folder that it is made in, and the session's name; empty for a folder that an earlier run made.
    private let stem: String
    private let definition: String?
    private let disk: SessionDisk
    private var handle: Int32 = -1
    private var isClosed = false
    /// `true` if others can use the folder or files in it: its file system has no modes, or another user owns them.
    private(set) var isExposed = false
    /// Of the folder that it is made in: on a stick that is pulled, there is another of that name.
    private var parent: FileSystemIdentity?
    private let store = StillStore(overwrites: false, latest: nil, isPrivate: true)
    private let recordStore = StillStore(overwrites: true, latest: nil, isPrivate: true)

    /// The copy of the file that the session was run from.
    static let definitionName = "session.yaml"

    /// A folder that is made later.
    ///
    /// - Parameters:
    ///   - parent: The folder that it is made in.
    ///   - definition: The text of the file that the session is run from.
    ///   - disk: What has to hold before a picture is stored.
    ///   - begun: The moment in the folder's name, until ``begin(at:)`` gives another.
    init(
        in parent: String, session: String, definition: String?, begun: WallTime = .now(),
        disk: SessionDisk = SessionDisk()
    ) {
        self.disk = disk
        stem = (parent.hasSuffix("/") ? parent : parent + "/") + session
        path = Self.path(stem, begun)
        self.definition = definition
    }

    /// Names the folder after the moment at which the session began. A folder that is made already keeps its name.
    func begin(at moment: WallTime) {
        if handle < 0, !stem.isEmpty { path = Self.path(stem, moment) }
    }

    private static func path(_ stem: String, _ moment: WallTime) -> String {
        stem + "-" + (moment.formatted("%Y%m%d-%H%M%S") ?? "\(moment.seconds)")
    }

    /// Where it is; `nil` before it is made.
    var madePath: String? { handle >= 0 ? path : nil }

    private init(path: String, handle: Int32, _ disk: SessionDisk) {
        self.disk = disk
        (self.path, self.handle, stem, definition) = (path, handle, "", nil)
    }

    deinit { if handle >= 0 { Glibc.close(handle) } }

    /// Opens the folder of a session that was begun, for this process alone. It blocks.
    ///
    /// - Throws: ``CaptureError`` `.noInput` where there is none, or `.temporary` where another process has it.
    static func open(_ path: String, disk: SessionDisk = SessionDisk()) throws(CaptureError) -> SessionFolder {
        let handle = try lock(path)
        TemporaryFile.removeLeftovers(in: path)
        return SessionFolder(path: path, handle: handle, disk)
    }

    /// Restricts the folder and the session's files in it to their owner, as earlier versions did not do.
    ///
    /// - Parameter stages: The names of the session's stages; files of others in the folder keep their modes.
    func restrict(of stages: [String]) {
        let names = DeviceFiles.names(in: path).filter { name in
            [SessionRecord.fileName, Self.definitionName].contains(name) || SessionFileName(name, of: stages) != nil
        }
        for file in [path] + names.map({ path + "/" + $0 }) where !PrivateMode.restrict(file) { isExposed = true }
    }

    /// Looks whether a folder can be made here.
    func prepare() throws(CaptureError) {
        try disk.checkMount(path)
        guard handle < 0 else { return try StillFolder.checkWritable(path) }
        let parent = StillFolder.path(of: path)
        try StillFolder.make(parent)
        try StillFolder.checkWritable(parent)
        self.parent = FileSystemIdentity(parent)
    }

    /// Writes the record in place of the one before.
    func save(_ record: SessionRecord) throws(CaptureError) {
        try make()
        try recordStore.write(Array(record.json.utf8), to: path + "/" + SessionRecord.fileName)
    }

    /// Writes a picture; answers its path. No picture that is there is replaced.
    @discardableResult
    func add(_ bytes: [UInt8], as name: String) throws(CaptureError) -> String {
        try make()
        try disk.checkSpace(path, for: bytes.count)
        try store.write(bytes, to: path + "/" + name)
        return path + "/" + name
    }

    /// Removes pictures; those that are gone already are no mistake.
    func remove(_ names: [String]) throws(CaptureError) {
        try checkPlace()
        for name in names where unlink(path + "/" + name) != 0 && errno != ENOENT {
            throw .file(errno, path + "/" + name, "cannot be removed")
        }
        if !names.isEmpty { try StillFolder.sync(path) }
    }

    /// Looks whether the files are there that were written down, as they were written.
    ///
    /// - Returns: the names of those that are gone.
    /// - Throws: ``CaptureError`` `.inputOutput` where one is another than that: it may be somebody's work.
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
                    advice: "put that one back, or move this one away: its stage is taken again then")
            }
        }
        return missing
    }

    /// Removes what was stored and not written down: pictures of these stages that no record knows.
    func removeStrays(of stages: [String], but known: Set<String>) throws(CaptureError) {
        guard handle >= 0 else { return }
        try remove(DeviceFiles.names(in: path).filter { SessionFileName($0, of: stages) != nil && !known.contains($0) })
    }

    /// Removes the record and the folder, whose pictures are gone; what others put into it stays, and so does it then. One
    /// that was not made by now may be another's.
    func clear() {
        guard handle >= 0, isInPlace else { return }
        for name in [SessionRecord.fileName, Self.definitionName] { unlink(path + "/" + name) }
        rmdir(path)
        try? StillFolder.sync(StillFolder.path(of: path))
    }

    /// A file of it.
    func read(_ name: String) throws(CaptureError) -> [UInt8] {
        try RegularFile.read(path + "/" + name, most: Self.mostBytes)
    }

    private static let mostBytes = 1 << 30

    /// Lets others have it.
    func close() {
        if handle >= 0 { Glibc.close(handle) }
        (handle, isClosed) = (-1, true)
    }
}

extension SessionFolder {
    /// Makes it, where it is not there.
    ///
    /// - Throws: ``CaptureError`` where that fails, or another folder is in its place by now.
    private func make() throws(CaptureError) {
        guard !isClosed else { throw .calledOff }
        try checkPlace()
        guard handle < 0 else { return }
        let wanted = path
        // Another may have begun in the same second.
        var number = 1
        while mkdir(path, PrivateMode.folder) != 0 {
            number += 1
            guard errno == EEXIST, number < 100 else { throw .file(errno, path, "cannot be made") }
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

    /// What was pulled and what was removed is not written anew somewhere else.
    private func checkPlace() throws(CaptureError) {
        try disk.checkMount(path)
        guard handle < 0 else {
            if !isInPlace { throw .moved(path) }
            return
        }
        let folder = StillFolder.path(of: path)
        if let parent, FileSystemIdentity(folder)?.isFolder(parent) != true { throw .moved(folder) }
    }

    /// True while the folder that is open has its name.
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

    /// `true` if a process has this folder. It blocks.
    static func isLocked(_ path: String) -> Bool {
        let handle = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return false }
        defer { Glibc.close(handle) }
        // A shared lock does not disturb others that look at the same time.
        return flock(handle, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}

extension CaptureError {
    static func noFolder(_ path: String) -> CaptureError {
        CaptureError(.noInput, "there is no such folder", subject: path)
    }

    static func isRunning(_ path: String) -> CaptureError {
        CaptureError(
            .temporary, "another gst-capture runs this session", subject: path, advice: "end that one first")
    }

    fileprivate static func moved(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "is gone, or another folder is in its place", subject: path,
            advice: "plug its drive in again, or put it back")
    }
}
