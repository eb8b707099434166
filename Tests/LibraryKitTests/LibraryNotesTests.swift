// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LibraryKit

@Suite("Tags, stars and titles")
struct LibraryNotesTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex
    private let ids: [ItemID]

    init() async throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
        let picture = try await JPEGFile.made()
        for number in 1...3 { try TaggedPicture.write(picture, number, to: "\(folder.path)/\(number).jpg") }
        _ = try LibraryScan(index, folder: folder.path)
        ids = try index.page(LibraryQuery(), limit: 9).items.map(\.id).reversed()
    }

    private func change(_ tags: [String] = [], stars: Int? = nil, title: String? = nil) -> NotesChange {
        var change = NotesChange()
        (change.added, change.stars, change.title) = (tags, stars, title)
        return change
    }

    private var sidecar: String { folder.path + "/1.jpg.xmp" }

    private func notes(_ number: Int) throws -> ItemNotes? { try index.item(ids[number - 1])?.item.notes }

    @Test("A change is in the sidecar and in the index, and a rebuilt index has it too")
    func change() throws {
        #expect(try index.change([ids[0]], change(["snow", "ice"], stars: 3, title: "Winter")) == [ids[0]])
        #expect(try notes(1) == ItemNotes(tags: ["snow", "ice"], stars: 3, title: "Winter"))
        #expect(try index.found("tag:ice stars:3 winter").count == 1)
        let other = try TemporaryFolder()
        let rebuilt = try LibraryIndex(other)
        _ = try LibraryScan(rebuilt, folder: folder.path)
        #expect(try index.dump == rebuilt.dump)
    }

    @Test("An equal change changes nothing; a removed tag is gone from sidecar and index")
    func remove() throws {
        _ = try index.change([ids[0]], change(["snow"]))
        #expect(try index.change([ids[0]], change(["snow"])).isEmpty)
        var removal = NotesChange()
        removal.removed = ["snow"]
        #expect(try index.change(ids, removal) == [ids[0]])
        #expect(try notes(1) == ItemNotes() && index.found("tag:snow").isEmpty)
    }

    @Test("Programs that tag one picture at the same moment lose no tag")
    func together() async throws {
        let (folder, id) = (state.path, ids[0])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    try await BlockingWork.run { () throws(CaptureError) in
                        let index = try LibraryIndex(folder: folder)
                        for number in 0..<20 {
                            var change = NotesChange()
                            change.added = ["tag-\(writer)-\(number)"]
                            _ = try index.change([id], change, report: { Issue.record($0) })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Sidecars.read("\(self.folder.path)/1.jpg").notes.tags.count == 80)
    }

    @Test("A change of another program is found by the next scan, and is not lost by a change before it")
    func other() throws {
        let values = SidecarValues(tags: ["theirs"], rating: 2, title: nil)
        try Data(XMPSidecar.new(values, path: sidecar)).write(to: URL(filePath: sidecar))
        _ = try index.change([ids[0]], change(["mine"]))
        #expect(try notes(1) == ItemNotes(tags: ["theirs", "mine"], stars: 2))
        try FileManager.default.removeItem(atPath: sidecar)
        _ = try LibraryScan(index, folder: folder.path)
        #expect(try notes(1) == ItemNotes())
    }

    @Test("A rating of -1, by which other programs reject a picture, survives a change of tags")
    func rejected() throws {
        let values = SidecarValues(tags: [], rating: -1, title: nil)
        try Data(XMPSidecar.new(values, path: sidecar)).write(to: URL(filePath: sidecar))
        _ = try index.change([ids[0]], change(["mine"]))
        let found = try XMPSidecar(try RegularFile.read(sidecar, most: 1 << 20), path: sidecar).values
        #expect(found == SidecarValues(tags: ["mine"], rating: -1, title: nil))
        #expect(try notes(1) == ItemNotes(tags: ["mine"]))
    }

    @Test("A damaged sidecar is one error, is not overwritten, and the others change")
    func damaged() throws {
        try folder.write("1.jpg.xmp", "<x:xmpmeta")
        var errors: [CaptureError] = []
        #expect(try index.change(ids, change(["snow"])) { errors.append($0) } == Array(ids.dropFirst()))
        #expect(errors.count == 1 && errors[0].subject?.hasSuffix("1.jpg.xmp") == true)
        #expect(try String(contentsOfFile: sidecar, encoding: .utf8) == "<x:xmpmeta")
    }

    @Test("Values that no sidecar can have are refused, and nothing changes")
    func invalid() throws {
        for wrong in [change([""]), change([" "]), change(["a\nb"]), change([String(repeating: "a", count: 257)])] {
            #expect(throws: CaptureError.self) { try index.change(ids, wrong) }
        }
        for wrong in [change(stars: 6), change(stars: -1), change(title: "a\u{0}b")] {
            #expect(throws: CaptureError.self) { try index.change(ids, wrong) }
        }
        #expect(!FileManager.default.fileExists(atPath: sidecar))
    }

    @Test("Many pictures change in parts, with progress, each once")
    func many() async throws {
        let picture = try await JPEGFile.made()
        for number in 4...403 {
            try TaggedPicture.write(picture, number, to: "\(folder.path)/\(number % 9)/\(number).jpg")
        }
        _ = try LibraryScan(index, folder: folder.path)
        let all = try index.page(LibraryQuery(), limit: 500).items.map(\.id)
        var steps: [[Int]] = []
        let changed = try index.change(all + all, change(["snow"]), progress: { steps.append([$0, $1]) })
        #expect(changed == all && steps == [[200, 403], [400, 403], [403, 403]])
        #expect(try index.count(LibraryQuery("tag:snow")) == 403)
        for number in 1...403 {
            let path = number < 4 ? "\(folder.path)/\(number).jpg" : "\(folder.path)/\(number % 9)/\(number).jpg"
            #expect(try Sidecars.read(path).notes.tags == ["snow"])
        }
    }

    @Test("A canceled change ends between its parts, and the index has what the sidecars have")
    func canceled() async throws {
        let picture = try await JPEGFile.made()
        for number in 4...303 { try TaggedPicture.write(picture, number, to: "\(folder.path)/\(number).jpg") }
        _ = try LibraryScan(index, folder: folder.path)
        let (all, change, index) = (try index.page(LibraryQuery(), limit: 500).items.map(\.id), change(["snow"]), index)
        let task = Task {
            try index.change(all, change, progress: { _, _ in withUnsafeCurrentTask { $0?.cancel() } })
        }
        let error = await #expect(throws: CaptureError.self) { try await task.value }
        #expect(error?.message == "was canceled after 200 of 303 pictures")
        #expect(try index.count(LibraryQuery("tag:snow")) == 200)
        #expect(try all.count { try index.item($0)?.item.notes.tags == ["snow"] } == 200)
    }

    @Test("An unknown picture, and one whose folder is read-only, are separate errors")
    func unknown() throws {
        var errors: [CaptureError] = []
        let unknown = ItemID("garden-pi.garden-9")!
        #expect(try index.change([unknown, ids[1]], change(["snow"])) { errors.append($0) } == [ids[1]])
        #expect(errors.map(\.code) == [.noInput])
    }
}
#endif
