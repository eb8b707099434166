// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import FrameMeasures
import Testing

@testable import LibraryKit
@testable import SessionModel

@Suite("Pictures of sessions")
struct SessionSourceTests {
    private let folder: TemporaryFolder
    private let state: TemporaryFolder
    private let index: LibraryIndex

    init() throws {
        (folder, state) = (try TemporaryFolder(), try TemporaryFolder())
        index = try LibraryIndex(state)
    }

    private var source: SessionSource { SessionSource(folder: folder.path, cameras: ["avatar": [.front: "kiosk"]]) }

    /// Writes the record of a run with pictures of these numbers, the first one with a crop.
    ///
    /// - Parameter clip: The number of a picture that is a clip.
    private func write(
        _ run: String, _ numbers: [Int], clip: Int? = nil, session: String = "avatar", begun minute: Int64 = 0,
        keeping: Duration? = nil
    ) throws {
        var (stage, stills) = (StageProgress(name: "front"), [Int: SessionStill]())
        for number in numbers {
            var still = SessionStill(number: number, stage: "front", file: file("front", number, ""))
            (still.role, still.camera, still.taken) = (.front, "usb-1", WallTime.test(Int64(number) * 60).iso8601)
            if number == clip {
                still.file = SessionFileRecord(
                    name: "front-\(number.padded(to: 3)).mp4", byteCount: 9, sha256: still.file.sha256, width: 640,
                    height: 480)
                (still.duration, still.poster) = (.seconds(5), file("front", number, ""))
            } else if number == 1 {
                let corners = Quadrilateral([PixelPoint(0, 0), PixelPoint(9, 0), PixelPoint(9, 9), PixelPoint(0, 9)])
                still.crop = SessionCrop(file: file("front", number, "-crop"), corners: corners)
            }
            stills[number] = still
            stage.pictures.append(SessionPicture(number: number, camera: .front))
        }
        var progress = SessionProgress(session: session, stages: [stage])
        progress.nextPicture = (numbers.max() ?? 0) + 1
        progress.form = ["name": "Ada Lovelace"]
        var record = SessionRecord(
            title: "Avatar", begun: WallTime.test(minute * 60).iso8601, progress: progress, stills: stills)
        record.retention = keeping
        try folder.write(run + "/session.json", record.json)
    }

    private func file(_ stage: String, _ number: Int, _ mark: String) -> SessionFileRecord {
        SessionFileRecord(
            name: "\(stage)-\(number.padded(to: 3))\(mark).jpg", byteCount: 1000 + number,
            sha256: String(repeating: "0b", count: 32), width: 640, height: 480)
    }

    private let run = "avatar-20261128-101500"

    @Test("Each picture of a run is in the index, with its crop as the shown file")
    func pictures() throws {
        try write(run, [1, 2])
        #expect(try source.catchUp(index).putCount == 2)
        #expect(try index.found("session:avatar stage:front camera:kiosk") == ["\(run)~2", "\(run)~1"])
        let found = try #require(try index.item(ItemID("garden-pi.\(run)~1")!))
        #expect(found.places.map(\.name) == ["front-001-crop.jpg", "front-001.jpg"])
        #expect(found.places.map(\.role) == [.shown, .whole])
        #expect(found.item.facts.taken.millisecondsSince1970 == WallTime.test(60).millisecondsSince1970)
    }

    @Test("A clip of a run is an item with its duration, and its first picture is none")
    func clip() throws {
        try write(run, [1, 2], clip: 2)
        #expect(try source.catchUp(index).putCount == 2)
        let found = try #require(try index.item(ItemID("garden-pi.\(run)~2")!))
        #expect(found.item.facts.kind == .session && found.item.facts.duration == .seconds(5))
        #expect(found.places.map(\.name) == ["front-002.mp4", "front-002.jpg"])
        #expect(found.places.map(\.role) == [.shown, .view])
    }

    @Test("The cameras of a service replace those that a scan found, and a later scan leaves them")
    func cameras() throws {
        try write(run, [1, 2])
        let unnamed = SessionSource(folder: folder.path)
        #expect(try unnamed.catchUp(index).putCount == 2 && index.found("camera:usb-1").count == 2)
        #expect(try source.catchUp(index).putCount == 2 && index.found("camera:kiosk").count == 2)
        #expect(try unnamed.catchUp(index).isEmpty && source.catchUp(index).isEmpty)
        #expect(try index.found("camera:kiosk").count == 2)
    }

    @Test("What people typed into the form of a session cannot be searched")
    func fields() throws {
        try write(run, [1])
        _ = try source.catchUp(index)
        #expect(try index.found("Ada").isEmpty && index.dump.allSatisfy { !$0.contains("Lovelace") })
    }

    @Test("A record that has not changed is not read again; a retake changes the pictures")
    func retaken() throws {
        try write(run, [1, 2])
        _ = try source.catchUp(index)
        #expect(try source.catchUp(index).isEmpty)
        try write(run, [1, 3])
        let changes = try source.catchUp(index)
        #expect(changes.put.map { "\($0.origin)" } == ["\(run)~3"])
        #expect(changes.removed.map { "\($0.origin)" } == ["\(run)~2"])
    }

    @Test("A run that was removed takes its pictures along; a folder that is empty at once does not")
    func removed() throws {
        try write(run, [1])
        try write("avatar-20261128-111500", [1])
        _ = try source.catchUp(index)
        try folder.remove(run)
        #expect(try source.catchUp(index).removed.map { "\($0.origin)" } == ["\(run)~1"])
        try folder.remove("avatar-20261128-111500")
        #expect(try source.catchUp(index).isEmpty)
        #expect(try index.found().count == 1)
    }

    @Test("A damaged record is one error, and the pictures of it and of other runs stay")
    func damaged() throws {
        try write(run, [1])
        try write("avatar-20261128-111500", [1])
        _ = try source.catchUp(index)
        try folder.write(run + "/session.json", "{")
        var errors: [CaptureError] = []
        #expect(try source.catchUp(index) { errors.append($0) }.isEmpty)
        #expect(errors.count == 1 && errors[0].subject?.contains(run + "/session.json") == true)
        #expect(try index.found().count == 2)
    }

    @Test("The runs of a session are listed from new to old in pages, also those that a person has renamed")
    func runs() throws {
        let names = (0..<7).map { $0 == 3 ? "Anna" : "avatar-\($0)" }
        for (minute, name) in names.enumerated() { try write(name, [], begun: Int64(minute)) }
        try write("other-1", [], session: "other", begun: 9)
        try folder.write("damaged/session.json", "{")
        _ = try source.catchUp(index)
        try folder.remove("avatar-1")
        _ = try source.catchUp(run: folder.path + "/avatar-1", index)
        var (found, position) = ([String](), RunPosition?.none)
        repeat {
            let page = try index.runs(of: "avatar", in: folder.path, from: position, limit: 2)
            #expect((1...2).contains(page.folders.count))
            found += page.folders
            position = try page.next.map { try #require(RunPosition("\($0)")) }
        } while position != nil
        #expect(found == names.reversed().filter { $0 != "avatar-1" }.map { folder.path + "/" + $0 })
        #expect(try index.runs(of: "avatar", in: folder.path + "/none", limit: 9).folders.isEmpty)
    }

    @Test(
        "The text of a position in runs is checked", arguments: ["", ".", "1", "1.", "1.2.3", "x.y ", "!.1", "1.\u{0}"])
    func position(text: String) { #expect(RunPosition(text) == nil) }

    @Test("The times at which runs are removed are those of their records, also after a change")
    func removals() throws {
        try write("a", [], keeping: .seconds(3600))
        try write("b", [], begun: 5, keeping: .milliseconds(1500))
        try write("c", [])
        _ = try source.catchUp(index)
        let path = folder.path
        let times = try index.removals(in: path)
        #expect(
            times.mapValues(\.millisecondsSince1970) == [
                path + "/a": WallTime.test(3600).millisecondsSince1970,
                path + "/b": WallTime.test(300).millisecondsSince1970 + 1500,
            ])
        try write("a", [])
        _ = try source.catchUp(index)
        #expect(try index.removals(in: path).keys.sorted() == [path + "/b"])
    }

    @Test("More runs than one transaction has are all read, in spite of damaged ones; a canceled reader stops")
    func batches() async throws {
        let count = 2 * SessionSource.batch + 1
        for number in 0..<count { try write("avatar-\(number)", [1]) }
        try folder.write("damaged/session.json", "{")
        let (source, index) = (source, index)
        let canceled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try source.catchUp(index)
        }
        await #expect(throws: CaptureError.self) { try await canceled.value }
        var errors = 0
        let changes = try source.catchUp(index) { _ in errors += 1 }
        #expect(changes.putCount == count && changes.removedCount == 0 && errors == 1)
        #expect(try index.runs(of: "avatar", in: folder.path, limit: count + 1).folders.count == count)
        #expect(try source.catchUp(index).isEmpty)
    }

    @Test("A folder with a name that no ID can have is passed over")
    func oddName() throws {
        try write("my session", [1])
        #expect(try source.catchUp(index).isEmpty)
    }
}
#endif
