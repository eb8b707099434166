// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@Suite struct `A folder of pictures` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `A folder of pictures is created with its parents, or exists already`() throws {
        for _ in 0..<2 { try StillFolder.make(folder.path + "/a/b") }
        try folder.link("link", to: "a")
        try StillFolder.make(folder.path + "/link/b/../c/")
        #expect(DeviceFiles.names(in: folder.path + "/a").sorted() == ["b", "c"])
    }

    @Test(
        arguments: [
            ("dangling", "", ENOENT), ("dangling", "/deeper", ENOENT), ("loop", "", ELOOP), ("loop", "/deeper", ELOOP),
            ("file", "", ENOTDIR), ("file", "/deeper", ENOTDIR), ("link", "", ENOTDIR), ("link", "/deeper", ENOTDIR),
        ])
    func `A folder of pictures is not created in place of a file or a broken link`(
        name: String, below: String, number: Int32
    ) throws {
        try folder.write("file", "text")
        try folder.link("link", to: "file")
        try folder.link("dangling", to: "nowhere")
        try folder.link("loop", to: "loop")
        let path = folder.path + "/" + name
        let error = #expect(throws: CaptureError.self) { try StillFolder.make(path + below) }
        #expect(error?.systemError == number && error?.subject == path)
        #expect(DeviceFiles.names(in: folder.path).count == 4)
    }
}
