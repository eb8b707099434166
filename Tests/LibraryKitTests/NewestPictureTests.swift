// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import LibraryKit
import Testing

@Suite("The newest picture")
struct NewestPictureTests {
    private let folder: TemporaryFolder
    private let index: LibraryIndex

    init() async throws {
        folder = try TemporaryFolder()
        index = try LibraryIndex(folder: LibraryFolder.make(in: folder.path + "/state"))
        let picture = try await JPEGFile.made()
        for number in 1...3 { try TaggedPicture.write(picture, number, to: "\(folder.path)/\(number).jpg") }
        _ = try LibraryScan(index, folder: folder.path)
    }

    @Test("The newest picture of a search has the path of its file")
    func newest() throws {
        let found = try #require(try index.newest())
        #expect(found.path == folder.path + "/3.jpg" && found.item.facts.fileName == "3.jpg")
        #expect(try index.newest(LibraryQuery("1.jpg"))?.path == folder.path + "/1.jpg")
    }

    @Test("A picture whose file is gone is passed over")
    func gone() throws {
        for name in ["3.jpg", "2.jpg"] { try folder.remove(name) }
        #expect(try index.newest()?.path == folder.path + "/1.jpg")
        try folder.remove("1.jpg")
        #expect(try index.newest() == nil)
    }

    @Test("A search without pictures finds none")
    func nothing() throws { #expect(try index.newest(LibraryQuery("tag:none ")) == nil) }
}
#endif
