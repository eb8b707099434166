// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import LibraryKit
import PresetKit
import StillKit
import Testing

@testable import LibraryFeed
@testable import ServiceKit

@Suite("Pages of pictures", .timeLimit(.minutes(5)))
struct StillPageTests {
    private let folder: TemporaryFolder
    private let library: ServiceLibrary

    init() async throws {
        folder = try TemporaryFolder(isInMemory: true)
        library = try await ServiceLibrary.open(in: folder.path + "/state")
        library.progress.reach(0)
    }

    private func series(_ id: String) -> (camera: String, series: ServiceSeries) {
        var settings = CaptureSettings()
        settings.output = "\(folder.path)/\(id)/%n.jpg"
        return ("garden", ServiceSeries(id: id, settings: settings))
    }

    /// Adds lines with pictures at these moments, in seconds; `nil` for a line with an invalid time.
    private func add(_ seconds: [Int64?], to series: ServiceSeries) async throws {
        let ledger = Ledger(try #require(series.ledger), series: .seconds(10))
        try await ledger.open()
        let entries = seconds.enumerated().map { index, second in
            var entry = LedgerEntry.picture(index, "\(folder.path)/\(series.id)/\(index).jpg")
            let time = WallTime(seconds: second ?? 0, nanoseconds: 0, utcOffset: second == nil ? 999_999 : 0)
            (entry.due, entry.lastDue) = (time, time)
            if case .captured(var still) = entry.outcome {
                still.captured = time
                entry.outcome = .captured(still)
            }
            return entry
        }
        // A ledger keeps a limited number of lines that are not written.
        for start in stride(from: 0, to: entries.count, by: 5000) {
            try await ledger.append(Array(entries[start..<min(start + 5000, entries.count)]))
        }
        await ledger.close(.stopped)
    }

    private func read(_ list: [(camera: String, series: ServiceSeries)]) {
        for (camera, series) in list {
            guard let ledger = series.ledger else { continue }
            let source = LedgerSource(
                ledger: ledger, series: series.id, camera: camera, folder: series.pictureFolder)
            _ = try? library.read(source)
        }
    }

    private func page(
        _ list: [(camera: String, series: ServiceSeries)], from position: LibraryPosition? = nil, limit: Int,
        since: WallTime? = nil, until: WallTime? = nil
    ) async throws -> StillPage {
        try await library.stills(of: list, from: position, limit: limit, since: since, until: until, after: 0)
    }

    /// Reads the ledgers, and all pages.
    private func all(
        _ list: [(camera: String, series: ServiceSeries)], limit: Int, since: WallTime? = nil, until: WallTime? = nil
    ) async throws -> (stills: [StillRecord], faults: Set<String>) {
        read(list)
        var (stills, faults, position): ([StillRecord], Set<String>, LibraryPosition?) = ([], [], nil)
        repeat {
            let page = try await page(list, from: position, limit: limit, since: since, until: until)
            #expect(page.stills.count <= limit)
            stills += page.stills
            faults.formUnion(page.faults)
            position = try page.next.map { try #require(LibraryPosition($0.description)) }
        } while position != nil
        return (stills, faults)
    }

    @Test("Any number of series lists each picture once, from new to old", arguments: [1, 2, 64, 65, 88, 300, 1000])
    func many(count: Int) async throws {
        let list = (0..<count).map { series("series-\($0)") }
        var expected = 0
        for (index, (_, series)) in list.enumerated() {
            let seconds = (0..<1 + index % 4).map { Int64($0 * 1000 + index * 7) }
            expected += seconds.count
            try await add(seconds, to: series)
        }
        for limit in [count > 100 ? 200 : 7, 500] {
            let stills = try await all(list, limit: limit).stills
            #expect(stills.count == expected && Set(stills.map(\.id)).count == expected)
            let times = stills.map(\.still.captured.seconds)
            #expect(times == times.sorted(by: >))
        }
    }

    @Test("A long series that has stopped does not hide a newer picture of another one")
    func long() async throws {
        let (old, new) = (series("old"), series("new"))
        try await add((0..<60_000).map { Int64($0) }, to: old.series)
        try await add([1_000_000], to: new.series)
        let since = WallTime(seconds: 500_000, nanoseconds: 0, utcOffset: 0)
        read([old, new])
        #expect(try await page([old, new], limit: 1, since: since).stills.map(\.id.series) == ["new"])
        let (stills, faults) = try await all([old, new], limit: 50, since: since)
        #expect(stills.count == 1 && faults.isEmpty)
        let range = { WallTime(seconds: $0, nanoseconds: 0, utcOffset: 0) }
        let middle = try await all([old, new], limit: 5, since: range(100), until: range(110)).stills
        #expect(middle.map(\.still.captured.seconds) == Array((100..<110).reversed()))
    }

    @Test("Pictures from before the clock was set back are listed")
    func clock() async throws {
        let own = series("own")
        let seconds = (0..<1000).map { Int64(2_000_000 + $0) } + (0..<500).map { Int64($0) }
        try await add(seconds, to: own.series)
        let since = WallTime(seconds: 1_000_000, nanoseconds: 0, utcOffset: 0)
        #expect(try await all([own], limit: 100, since: since).stills.count == 1000)
    }

    @Test("A damaged line takes no picture but its own from a list")
    func damagedLine() async throws {
        let (damaged, sound) = (series("damaged"), series("sound"))
        try await add([1, 2, nil, 4, nil], to: damaged.series)
        try await add([3], to: sound.series)
        let (stills, faults) = try await all([damaged, sound], limit: 2)
        #expect(stills.map(\.id.description) == ["damaged-4", "sound-1", "damaged-2", "damaged-1"])
        #expect(faults.count == 1 && faults.first?.hasPrefix("damaged: ") == true)
        #expect(faults.allSatisfy { !$0.contains(folder.path) })
    }

    @Test("A step of damaged lines alone hides no older picture")
    func damagedStep() async throws {
        let own = series("own")
        try await add([1] + [Int64?](repeating: nil, count: 2000), to: own.series)
        #expect(try await all([own], limit: 10).stills.map(\.id.line) == [1])
    }

    @Test("A page says if the newest pictures are not in the index yet")
    func behind() async throws {
        let own = series("own")
        try await add([1], to: own.series)
        let page = try await library.stills(
            of: [own], from: nil, limit: 9, since: nil, until: nil, after: 1, patience: .zero)
        #expect(page.stills.isEmpty && page.faults == ["the newest pictures are not in the library yet"])
    }

    @Test("Pictures whose ledger is in another folder are listed")
    func otherLedger() async throws {
        var settings = CaptureSettings()
        (settings.output, settings.ledger) = ("\(folder.path)/own/%n.jpg", "\(folder.path)/ledgers/own.ledger")
        let own = (camera: "garden", series: ServiceSeries(id: "own", settings: settings))
        try folder.write("ledgers/keep", "")
        try await add([1, 2], to: own.series)
        #expect(try await all([own], limit: 9).stills.count == 2)
    }

    @Test("A picture in the trash is in no list, and neither is one of a series that the service has not")
    func hidden() async throws {
        let (own, other) = (series("own"), series("other"))
        try await add([1, 2], to: own.series)
        try await add([3], to: other.series)
        read([own, other])
        try folder.write("own/1.jpg", "picture")
        _ = try library.index.addFolder(folder.path + "/own")
        let id = try #require(ItemID("\(library.index.board).own-2"))
        #expect(try library.index.delete([id]) == [id])
        #expect(try await all([own], limit: 9).stills.map(\.id.description) == ["own-1"])
        #expect(try await all([], limit: 9).stills.isEmpty)
    }

    @Test("A file that is no ledger takes no picture of other series from a list")
    func noLedger() async throws {
        let (broken, sound) = (series("broken"), series("sound"))
        try await add([1, 2], to: sound.series)
        let path = try #require(broken.series.ledger)
        try folder.write(String(path.dropFirst(folder.path.count + 1)), String(repeating: "no ledger ", count: 1000))
        let (stills, faults) = try await all([broken, sound], limit: 1)
        #expect(stills.count == 2)
        #expect(faults.count == 1 && faults.first?.hasPrefix("broken: ") == true)
    }

    @Test("Damaged bytes in any place of a ledger end no list and no program")
    func damagedBytes() async throws {
        let (damaged, sound) = (series("damaged"), series("sound"))
        try await add((0..<400).map { Int64($0) }, to: damaged.series)
        try await add([1000], to: sound.series)
        let path = try #require(damaged.series.ledger)
        let bytes = try Array(RegularFile.read(path, most: 1 << 24))
        for _ in 0..<40 {
            var changed = bytes
            let start = Int.random(in: 0..<bytes.count)
            for index in start..<min(start + 200, bytes.count) { changed[index] = .random(in: 0...255) }
            try Data(changed).write(to: URL(filePath: path))
            #expect(try await all([damaged, sound], limit: 100).stills.contains { $0.id.series == "sound" })
        }
    }
}
#endif
