// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Puts pictures into files so that each is durable, whole or not there: a temporary name in the same folder, fsync,
/// rename, fsync of the folder.
///
/// Every call blocks: use it on a thread where that is allowed.
struct StillStore: Sendable {
    let overwrites: Bool
    let latest: String?

    /// Writes a file; when it returns, the file survives a power cut.
    ///
    /// - Throws: ``CaptureError`` with the path; nothing is left behind.
    func write(_ bytes: [UInt8], to path: String) throws(CaptureError) {
        // C would take what is in front of it for the name.
        guard !path.utf8.contains(0), latest?.utf8.contains(0) != true else {
            throw CaptureError(.usage, "is no file name", subject: "output")
        }
        let folder = Self.folder(of: path)
        try Self.makeFolder(folder)
        let temporary = "\(folder)/.gst-capture-\(getpid())-\(Self.serial()).tmp"
        do throws(CaptureError) {
            try Self.writeDurably(bytes, temporary, for: path)
            try moveIntoPlace(temporary, path)
        } catch {
            unlink(temporary)
            throw error
        }
        try Self.syncFolder(folder)
    }

    private func moveIntoPlace(_ temporary: String, _ path: String) throws(CaptureError) {
        if overwrites {
            try Self.checkReplaceable(path)
            guard rename(temporary, path) == 0 else { throw .file(errno, path, "cannot be put in place") }
            return
        }
        // link() refuses a name that is taken; rename() would replace it.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return
        }
        // FAT has no links.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK else {
            throw .file(errno, path, "cannot be put in place")
        }
        guard !Self.exists(path) else { throw .file(EEXIST, path, "") }
        guard rename(temporary, path) == 0 else { throw .file(errno, path, "cannot be put in place") }
    }

    /// Points the link, if there is to be one, at the newest picture; at no moment is there none.
    func pointLatest(at path: String) throws(CaptureError) {
        guard let link = latest else { return }
        try Self.checkLink(link)
        let folder = Self.folder(of: link)
        try Self.makeFolder(folder)
        let target =
            Self.folder(of: path) == folder ? String(path.split(separator: "/").last ?? "") : Self.absolute(path)
        let temporary = "\(folder)/.gst-capture-\(getpid())-\(Self.serial()).tmp"
        guard symlink(target, temporary) == 0, rename(temporary, link) == 0 else {
            let failure = errno
            unlink(temporary)
            throw .file(failure, link, "cannot be pointed at the picture")
        }
    }

    /// Removes what killed processes left in a folder. Files of processes that live are theirs.
    static func removeLeftovers(in folder: String) {
        guard let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(".gst-capture-"), name.hasSuffix(".tmp") else { continue }
            let parts = name.dropFirst(13).dropLast(4).split(separator: "-")
            guard parts.count == 2, let process = Int32(parts[0]), process > 0, Int(parts[1]) != nil else { continue }
            if process == getpid() || kill(process, 0) == 0 || errno == EPERM { continue }
            unlink("\(folder)/\(name)")
        }
    }

    /// Writes to standard output, all of it.
    static func writeToStandardOutput(_ bytes: [UInt8]) throws(CaptureError) {
        try write(bytes, to: STDOUT_FILENO, name: "standard output")
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Steps

    private static func writeDurably(_ bytes: [UInt8], _ temporary: String, for path: String) throws(CaptureError) {
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw .file(errno, path, "cannot be made") }
        defer { close(file) }
        try write(bytes, to: file, name: path)
        guard fsync(file) == 0 else { throw .file(errno, path, "cannot be made durable") }
    }

    private static func write(_ bytes: [UInt8], to file: Int32, name: String) throws(CaptureError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file(errno, name, "cannot be written") }
            written += count
        }
    }

    static func makeFolder(_ folder: String) throws(CaptureError) {
        var status = stat()
        if stat(folder, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .file(ENOTDIR, folder, "") }
            return
        }
        let parent = Self.folder(of: folder)
        if parent != folder { try makeFolder(parent) }
        guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw .file(errno, folder, "cannot be made") }
        try syncFolder(parent)
    }

    private static func syncFolder(_ folder: String) throws(CaptureError) {
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { throw .file(errno, folder, "cannot be opened") }
        defer { close(handle) }
        // Some file systems cannot sync a folder, and say so.
        guard fsync(handle) == 0 || errno == EINVAL else { throw .file(errno, folder, "cannot be made durable") }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// A number that no other file of this process gets, nor one that an earlier process of the same number left.
    private static func serial() -> UInt64 { nextSerial.add(1, ordering: .relaxed).newValue }

    private static let nextSerial: Atomic<UInt64> = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Atomic(UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec))
    }()
}

extension CaptureError {
    /// Says what errno says, and what helps.
    static func file(_ number: Int32, _ path: String, _ what: String) -> CaptureError {
        let reason = String(cString: strerror(number))
        func error(_ code: Code, _ message: String, _ advice: String?) -> CaptureError {
            CaptureError(code, message, subject: path, advice: advice)
        }
        switch number {
        case EEXIST: return error(.cannotCreate, "exists already", "use --overwrite, or put %n into the name")
        case ENOSPC, EDQUOT: return error(.inputOutput, "the disk is full", "make room, or choose another folder")
        case EACCES, EPERM: return error(.permission, "\(what): \(reason)", "choose a folder that you may write")
        case EROFS: return error(.cannotCreate, "the file system is read-only", "choose another folder")
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP:
            return error(.cannotCreate, what.isEmpty ? reason : "\(what): \(reason)", nil)
        default: return error(.inputOutput, "\(what): \(reason)", nil)
        }
    }
}

extension StillStore {
    /// Looks whether a picture may take the place of what is there: a file, and neither a folder nor a device.
    static func checkReplaceable(_ path: String) throws(CaptureError) {
        switch kind(of: path) {
        case nil, S_IFREG: return
        case S_IFLNK:
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        case S_IFDIR: throw isFolder(path)
        default: break
        }
        throw CaptureError(
            .cannotCreate, "is no file, and is left alone", subject: path, advice: "-o - is standard output")
    }

    /// Looks whether a path names a file.
    static func checkName(_ path: String) throws(CaptureError) {
        if path.hasSuffix("/") || kind(of: path) == S_IFDIR { throw isFolder(path) }
    }

    /// Looks whether a link may be put there, and no file be lost.
    static func checkLink(_ link: String) throws(CaptureError) {
        guard let kind = kind(of: link), kind != S_IFLNK else { return }
        let what = kind == S_IFDIR ? "a folder" : "a file"
        throw CaptureError(
            .cannotCreate, "is \(what) and no link, and is left alone", subject: link,
            advice: "give --latest another name")
    }

    private static func isFolder(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "is a folder", subject: path,
            advice: "give a file name, such as \(path.hasSuffix("/") ? path : path + "/")%n.jpg")
    }

    /// What kind of thing is there (`lstat(2)`).
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Looks whether files can be made in a folder.
    static func checkWritable(_ folder: String) throws(CaptureError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw .file(errno, folder, "cannot be written") }
    }

    /// True where something of that name is there already.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
