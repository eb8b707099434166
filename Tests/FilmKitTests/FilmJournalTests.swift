// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@testable import FilmKit

@Suite("The journal of a film")
struct FilmJournalTests {
    private func part(_ number: Int, skipped: [SkippedPicture] = []) -> FilmJournal.Part {
        FilmJournal.Part(
            pictureCount: number * 250 + skipped.count, frameCount: number * 250, unitCount: number * 260,
            place: FragmentedMovie.Place(byteCount: 700 + number * 1000, fragmentCount: number * 4),
            digest: String(repeating: "\(number)", count: 64), skipped: skipped)
    }

    /// The bytes of a journal with three parts, one of which has skipped pictures.
    private func written() throws -> (bytes: [UInt8], parts: [FilmJournal.Part]) {
        let folder = try TemporaryFolder()
        let film = folder.path + "/day.mp4"
        let parts = [
            part(1), part(2, skipped: [SkippedPicture(name: "a \"b\"\u{1F600}\n.jpg", reason: "is empty")]), part(3),
        ]
        let journal = try FilmJournal(ofFilm: film)
        try journal.begin("settings", after: nil)
        try journal.append(movie: try folder.write("day.mp4", "movie"), [0, 1, 255])
        for part in parts { try journal.append(part) }
        let found = try #require(try journal.interrupted())
        #expect(found.settings == "settings" && found.parts == parts && found.initialization == [0, 1, 255])
        #expect(found.inode == FilmJournal.inode(film) && found.inode != nil)
        return ([UInt8](try Data(contentsOf: URL(filePath: folder.path + "/.day.mp4.film"))), parts)
    }

    @Test func `A journal that was cut off anywhere has the parts before the cut`() throws {
        let (bytes, parts) = try written()
        var most = 0
        for count in 0...bytes.count {
            guard let found = FilmJournal.interrupted(Array(bytes.prefix(count))) else { continue }
            #expect(found.parts == Array(parts.prefix(found.parts.count)) && found.parts.count >= most)
            most = found.parts.count
        }
        #expect(most == 3)
    }

    @Test(arguments: 1...2000)
    func `A journal with any bytes has parts that follow each other`(seed: Int) {
        var generator = SplitMix(UInt64(seed))
        let bytes = Self.bytes.mutated(&generator)
        guard let found = FilmJournal.interrupted(bytes) else { return }
        var last = FilmJournal.Part()
        for part in found.parts {
            #expect(part.pictureCount > last.pictureCount && part.frameCount >= last.frameCount)
            #expect(part.frameCount <= part.pictureCount && part.unitCount >= part.frameCount)
            #expect(part.place.byteCount >= last.place.byteCount)
            last = part
        }
    }

    private static let bytes = Array(
        """
        {"film":1,"settings":"ab"}
        {"inode":17,"start":"00ff"}
        {"pictures":250,"frames":249,"units":260,"bytes":1700,"fragments":4,"digest":"cd","skipped":[{"file":"a","reason":"b"}]}
        {"pictures":500,"frames":499,"units":510,"bytes":2700,"fragments":8,"digest":"ef"}

        """.utf8)

    @Test(arguments: [
        "", "\n", "{}\n", "[]\n", #"{"film":2,"settings":""}"# + "\n", #"{"film":1}"# + "\n", "\u{0}\n",
    ])
    func `A file that is no journal is none`(text: String) {
        #expect(FilmJournal.interrupted(Array(text.utf8)) == nil)
    }

    @Test func `A journal has one owner`() throws {
        let folder = try TemporaryFolder()
        let film = folder.path + "/day.mp4"
        let journal = try FilmJournal(ofFilm: film)
        let error = #expect(throws: CaptureError.self) { try FilmJournal(ofFilm: film) }
        #expect(error?.code == .temporary && error?.message == "another process is making this film")
        journal.remove()
        #expect(!FilmJournal.exists(ofFilm: film))
    }
}
