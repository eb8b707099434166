// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import LibraryKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The page of LibraryKit` {
    @Test func `The example of the page runs`() throws {
        let (state, pictures) = (try TemporaryFolder(), try TemporaryFolder())
        func index() throws -> LibraryIndex {
            try LibraryIndex(folder: LibraryFolder.make(in: state.path), board: .ofHost())
        }
        let index = try index()
        _ = try LibraryScan(index, folder: pictures.path)
        let query = try LibraryQuery("tag:snow after:2026-03-01 ")
        for item in try index.page(query, limit: 60).items { print(item.id, item.facts.fileName, item.notes.tags) }
        #expect(try index.count(query) == 0)
    }
}
#endif
