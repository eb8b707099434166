// Part of gst-capture. Apache License 2.0, see LICENSE.

import CConfinement
import Glibc

/// Opens files for the process that draws, which cannot open files itself: fonts, their caches, and the data of
/// libraries.
///
/// A drawing may have taken over that process. Each path is resolved to the file that it leads to. The file must be a
/// regular file or a folder below a root, and is opened read-only.
struct RasterFiles {
    /// The libraries, their modules and their data: folders, and the loader's cache. They contain no users' files.
    static let systemRoots = [
        "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/usr/share", "/usr/local/share", "/etc/fonts",
        "/etc/ld.so.cache", "/nix/store", "/gnu/store",
    ]

    private let socket: Int32
    private let home: String?
    private var roots: Set<String>
    private var isSealed = false

    /// Takes ownership of a socket that preserves message boundaries (`SOCK_SEQPACKET`).
    ///
    /// - Parameter home: The user's home folder. Neither it nor a folder above it can become a root.
    init(socket: Int32, home: String?) {
        self.socket = socket
        self.home = home.flatMap(Self.resolved)
        roots = Set(Self.systemRoots.compactMap(Self.resolved))
    }

    /// Answers requests until the other end is gone, then closes the socket. It blocks.
    mutating func serve() {
        var message = [UInt8](repeating: 0, count: Int(CCONF_MESSAGE_BYTES))
        while true {
            let count = recv(socket, &message, message.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            handle(message[0], String(decoding: message[1..<count].prefix { $0 != 0 }, as: UTF8.self))
        }
        close(socket)
    }

    private mutating func handle(_ kind: UInt8, _ path: String) {
        switch kind {
        case CCONF_ROOT: addRoot(path)
        case CCONF_SEAL: isSealed = true
        case CCONF_OPEN: answer(path, isFolder: false)
        case CCONF_OPEN_FOLDER: answer(path, isFolder: true)
        default: break
        }
    }

    private mutating func addRoot(_ path: String) {
        guard !isSealed, let root = Self.resolved(path), root != "/" else { return }
        if let home, home == root || home.hasPrefix(root + "/") { return }
        roots.insert(root)
    }

    private func answer(_ path: String, isFolder: Bool) {
        let descriptor = open(path, isFolder: isFolder)
        // If the other end is gone, the next `recv` reports it.
        _ = cconf_answer(socket, descriptor < 0 ? -descriptor : 0, descriptor)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Opens a file. Returns a descriptor, or a negative errno.
    private func open(_ path: String, isFolder: Bool) -> Int32 {
        var real = [CChar](repeating: 0, count: Int(PATH_MAX))
        let place = cconf_find(path, &real, real.count)
        guard place >= 0 else { return place }
        defer { close(place) }
        let bytes = real.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        guard let real = String(validating: bytes, as: UTF8.self), isInside(real) else { return -EACCES }
        return cconf_reopen(place, isFolder ? 1 : 0)
    }

    private func isInside(_ path: String) -> Bool {
        roots.contains(path) || roots.contains { path.hasPrefix($0 + "/") }
    }

    private static func resolved(_ path: String) -> String? {
        guard path.hasPrefix("/"), let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
