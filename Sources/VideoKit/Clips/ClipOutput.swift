// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Dispatch
import Glibc
import Synchronization
import SystemBase

/// The file of a clip while it is written. Every call blocks.
///
/// The file is locked (`flock(2)`) from its creation on: ``ClipFile/finalize(_:delays:freeBytes:)`` refuses it until the
/// writer has finished, or its process has ended.
final class ClipOutput {
    /// The number of bytes of whole fragments.
    private(set) var byteCount = 0
    private let path: String
    /// -1 after ``finalize()``.
    private var descriptor: Int32
    private let durability: ClipDurability
    private var reserve: SpaceReserve?
    private var reservedBytes: Int
    /// The maximum size of the file.
    private let mostBytes: Int

    /// Creates a file that must not exist.
    ///
    /// - Parameter reservedBytes: The space that is held back for the end of the clip.
    /// - Throws: ``CaptureError`` with the path: `EEXIST` if there is a file of this name, `ENOSPC` if the disk has no
    ///   room for a clip. No file is left behind.
    init(_ path: String, reservedBytes: Int) throws(CaptureError) {
        guard !path.utf8.contains(0) else { throw CaptureError(.containsNUL, path) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o666)
        guard descriptor >= 0 else { throw .file(errno, path, "cannot be created") }
        do throws(CaptureError) {
            // File systems without locks refuse with other errors.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw .file(EAGAIN, path, "cannot be locked")
            }
            durability = try ClipDurability(descriptor, path)
            reserve = try SpaceReserve(beside: path, byteCount: reservedBytes)
        } catch {
            unlink(path)
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, self.reservedBytes) = (path, descriptor, reservedBytes)
        mostBytes = Self.mostBytes(descriptor)
    }

    /// Continues a movie that was interrupted. After a crash of this call, the movie plays, and the call can be repeated.
    ///
    /// - Parameters:
    ///   - initialization: The start of the file, which ``finalize()`` has changed if it was called.
    ///   - byteCount: The number of bytes of whole fragments; the rest is removed.
    /// - Throws: ``CaptureError`` with the path: `temporary` if another process has locked the file, `inputOutput` if it is
    ///   shorter than `byteCount`. The file is unchanged then.
    init(
        continuing path: String, _ initialization: [UInt8], at byteCount: Int, reservedBytes: Int
    ) throws(CaptureError) {
        guard !path.utf8.contains(0) else { throw CaptureError(.containsNUL, path) }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .file(errno, path, "cannot be opened for writing") }
        do throws(CaptureError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw CaptureError(
                    .temporary, "another process is working on this movie", subject: path, advice: "try again later")
            }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                Int(status.st_size) >= byteCount, byteCount >= initialization.count
            else {
                throw CaptureError(
                    .inputOutput, "is shorter than it was", subject: path, advice: "delete it, and begin again")
            }
            // Until the start is the old one again, players use the index at the end; from then on, they ignore it.
            try FileBytes.write(initialization, at: 0, to: descriptor, path)
            guard fdatasync(descriptor) == 0, ftruncate(descriptor, off_t(byteCount)) == 0, fdatasync(descriptor) == 0
            else { throw .file(errno, path, "cannot be written") }
            durability = try ClipDurability(descriptor, path)
            reserve = try SpaceReserve(beside: path, byteCount: reservedBytes)
        } catch {
            flock(descriptor, LOCK_UN)
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, self.reservedBytes) = (path, descriptor, reservedBytes)
        mostBytes = Self.mostBytes(descriptor)
        self.byteCount = byteCount
    }

    /// Returns the maximum size of a file: the limit of the process (`getrlimit(2)`), and that of FAT. A write beyond the
    /// former would end the process.
    private static func mostBytes(_ descriptor: Int32) -> Int {
        var (limit, system) = (rlimit(), statfs())
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
        let isFAT = fstatfs(descriptor, &system) == 0 && system.f_type == 0x4D44
        return min(isLimited ? Int(clamping: limit.rlim_cur) : .max, isFAT ? 0xFFFF_FFFF : .max)
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child that another thread starts has a copy of the descriptor until its program runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Checks that the file may grow by a fragment and, at the end of the clip, by the reserved bytes.
    ///
    /// - Throws: ``CaptureError`` with `EFBIG` and the path.
    func checkSize(adding count: Int) throws(CaptureError) {
        guard mostBytes - reservedBytes - byteCount >= count else { throw .file(EFBIG, path, "") }
    }

    /// Appends a whole fragment.
    ///
    /// - Throws: ``CaptureError`` with the path. The file ends with the fragment before then.
    func append(_ bytes: [UInt8]) throws(CaptureError) {
        do throws(CaptureError) {
            try FileBytes.write(bytes, at: byteCount, to: descriptor, path)
            byteCount += bytes.count
        } catch {
            // If this fails, too, the finalizer hides the remains.
            ftruncate(descriptor, off_t(byteCount))
            throw error
        }
    }

    /// Starts to make the written fragments durable, unless an earlier call is not done yet. Does not wait.
    ///
    /// - Throws: The error of an earlier call.
    func sync() throws(CaptureError) { try durability.request() }

    /// Makes all written fragments durable. Waits.
    ///
    /// - Throws: The error of this or of an earlier call.
    func syncNow() throws(CaptureError) {
        durability.wait()
        try durability.request()
        durability.wait()
        try durability.check()
    }

    /// Holds back more space.
    ///
    /// - Throws: ``CaptureError`` with `ENOSPC` if the disk is full.
    func reserve(_ byteCount: Int) throws(CaptureError) {
        reservedBytes = byteCount
        try reserve?.grow(to: byteCount)
    }

    /// Gives the reserved space back, so that the end of the clip fits on a full disk.
    func releaseReserve() { reserve = nil }

    /// Makes an ordinary movie of the file, and closes it.
    ///
    /// - Returns: The content, and the size of the file.
    /// - Throws: The errors of ``ClipFile/finalize(_:delays:freeBytes:)``; the file can be played as it is.
    func finalize() throws(CaptureError) -> (report: ClipFile.Report, byteCount: Int) {
        durability.wait()
        let file = FileBytes(adopting: descriptor, path)
        descriptor = -1
        // Its check of the free space would refuse what the reserve was held back for: it knows only the space of
        // unprivileged processes.
        let report = try ClipFile.finalize(file, path, freeBytes: { _ in nil })
        return (report, try file.currentByteCount())
    }

    /// Removes the file, if it is still at its path.
    func remove() {
        var (own, there) = (stat(), stat())
        if fstat(descriptor, &own) == 0, lstat(path, &there) == 0, own.st_dev == there.st_dev,
            own.st_ino == there.st_ino
        {
            unlink(path)
        }
    }
}

/// Makes a growing file durable beside its writes: a disk can take seconds, in which frames must not wait.
private final class ClipDurability: Sendable {
    private struct State {
        var isBusy = false
        var failure: CaptureError?
    }

    private let path: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "gst-capture.clip-durability")
    private let state = Mutex(State())

    init(_ descriptor: Int32, _ path: String) throws(CaptureError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .file(errno, path, "cannot be opened") }
        (self.descriptor, self.path) = (copy, path)
        // The name of the file, too, must survive a power cut.
        queue.async { [self] in
            record { () throws(CaptureError) in try StillFolder.syncName(of: path) }
        }
    }

    deinit { close(descriptor) }

    /// Starts a sync, unless one is not done yet.
    ///
    /// - Throws: The error of an earlier one.
    func request() throws(CaptureError) {
        let (isBusy, failure) = state.withLock { state in
            defer { state.isBusy = true }
            return (state.isBusy, state.failure)
        }
        if let failure { throw failure }
        guard !isBusy else { return }
        queue.async { [self] in
            record { () throws(CaptureError) in
                guard fdatasync(descriptor) == 0 else { throw .file(errno, path, "cannot be made durable") }
            }
        }
    }

    /// Waits for the sync that is not done yet.
    func wait() { queue.sync {} }

    /// - Throws: The error of an earlier sync.
    func check() throws(CaptureError) { if let failure = state.withLock({ $0.failure }) { throw failure } }

    private func record(_ work: () throws(CaptureError) -> Void) {
        do throws(CaptureError) {
            try work()
            state.withLock { $0.isBusy = false }
        } catch {
            state.withLock { $0 = State(failure: error) }
        }
    }
}

/// Space on a disk that is held back: a file without a name, which a crash removes.
private final class SpaceReserve {
    private let path: String
    private let descriptor: Int32
    private var byteCount = 0

    /// Holds back space on the disk of a path.
    ///
    /// - Returns: `nil` if the file system cannot hold back space.
    /// - Throws: ``CaptureError`` with `ENOSPC` or `EDQUOT`, and the path.
    init?(beside path: String, byteCount: Int) throws(CaptureError) {
        let descriptor = Self.unnamedFile(in: StillFolder.path(of: path))
        guard descriptor >= 0 else { return nil }
        (self.path, self.descriptor) = (path, descriptor)
        try grow(to: byteCount)
    }

    deinit { close(descriptor) }

    func grow(to byteCount: Int) throws(CaptureError) {
        guard byteCount > self.byteCount else { return }
        var failure: Int32
        repeat {
            failure = posix_fallocate(descriptor, off_t(self.byteCount), off_t(byteCount - self.byteCount))
        } while failure == EINTR
        if failure == ENOSPC || failure == EDQUOT { throw .file(failure, path, "") }
        if failure == 0 { self.byteCount = byteCount }
    }

    private static func unnamedFile(in folder: String) -> Int32 {
        // O_TMPFILE, which Glibc declares for _GNU_SOURCE only.
        let unnamed = open(folder, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        guard unnamed < 0 else { return unnamed }
        // FAT and network file systems have no files without a name.
        var name = Array("\(folder)/.gst-capture-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return descriptor }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
