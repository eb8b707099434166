// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import SystemBase
import Testing

/// Each test runs with `openat2(2)`, and without it as on older kernels.
@Suite(.timeLimit(.minutes(2))) struct `An open folder` {
    private let folder: TemporaryFolder
    private var base: String { folder.path + "/base" }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("base/day/a.jpg", "picture")
        try folder.write("key.pem", "secret")
    }

    private func content(_ path: String, _ walks: Bool) -> String? {
        (try? OpenFolder(base, walks: walks).file(path).bytes(most: 100)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [false, true], ["day/a.jpg", "./day/a.jpg", "day//a.jpg", "day/./a.jpg"])
    func `A file below the folder is opened`(walks: Bool, path: String) {
        #expect(content(path, walks) == "picture")
    }

    @Test(arguments: [false, true])
    func `No path leads out of the folder`(walks: Bool) throws {
        try folder.link("base/absolute", to: folder.path + "/key.pem")
        try folder.link("base/relative", to: "../key.pem")
        try folder.link("base/up", to: "..")
        try folder.link("base/root", to: "/")
        try folder.link("base/process", to: "/proc/self")
        try folder.link("base/day/around", to: "../../base/../key.pem")
        let paths = [
            "../key.pem", "day/../../key.pem", "/etc/passwd", "\(folder.path)/key.pem", "absolute", "relative",
            "up/key.pem", "root/etc/passwd", "process/cwd", "process/status", "day/around", "..", "", ".", "day",
            "day/a.jpg\u{0}", "none", "day/a.jpg/b", String(repeating: "day/../", count: 600) + "../key.pem",
        ]
        for path in paths { #expect(content(path, walks) == nil, "\(path)") }
    }

    @Test(arguments: [false, true])
    func `A folder that is opened through a link is the folder itself`(walks: Bool) throws {
        try folder.link("pictures", to: base)
        let found = try OpenFolder(folder.path + "/pictures", walks: walks).folder("day").file("a.jpg").bytes(most: 9)
        #expect(found == Array("picture".utf8))
    }

    @Test(arguments: [false, true])
    func `A FIFO is refused at once`(walks: Bool) throws {
        #expect(mkfifo(base + "/fifo", 0o600) == 0)
        #expect(throws: RegularFile.Failure.isNotRegular) { _ = try OpenFolder(base, walks: walks).file("fifo") }
    }

    @Test(arguments: [false, true])
    func `Only a name in the folder is removed`(walks: Bool) throws {
        let day = try OpenFolder(base, walks: walks).folder("day")
        for name in ["../../key.pem", "/etc/passwd", "a.jpg\u{0}", ""] { #expect(day.remove(name) != 0) }
        #expect(DeviceFiles.exists(folder.path + "/key.pem") && DeviceFiles.exists(base + "/day/a.jpg"))
        #expect(day.remove("a.jpg") == 0 && day.sync() == 0)
        #expect(!DeviceFiles.exists(base + "/day/a.jpg"))
    }

    @Test(arguments: [false, true])
    func `Paths that do not exist leave no descriptors open`(walks: Bool) throws {
        let deep = String(repeating: "day/", count: 200)
        for _ in 0..<3000 { #expect(content(deep + "a.jpg", walks) == nil) }
        #expect(content("day/a.jpg", walks) == "picture")
    }
}
