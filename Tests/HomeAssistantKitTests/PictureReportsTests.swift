// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Synchronization
import Testing

@testable import HomeAssistantKit

@Suite("Pictures for an MQTT broker", .timeLimit(.minutes(1)))
struct PictureReportsTests {
    /// A broker that records its pictures, and a disk that hangs at some of them.
    private final class Place: Sendable {
        let sent = AsyncStream<String>.makeStream()
        let reading = AsyncStream<String>.makeStream()
        let warnings = Mutex<[String]>([])
        private let release = AsyncStream<Void>.makeStream()
        private let mostBytes: Int

        init(mostBytes: Int = .max) { self.mostBytes = mostBytes }

        func endHang() { release.continuation.finish() }

        var steps: PictureReports.Steps {
            PictureReports.Steps(
                read: { [self] picture in
                    reading.continuation.yield(picture.name)
                    if picture.path != nil { for await _ in release.stream {} }
                    return picture.bytes ?? Array(picture.name.utf8)
                },
                shrink: { bytes, most in Array(bytes.prefix(most)) },
                send: { [self] camera, bytes in
                    let text = bytes.count < 100 ? String(decoding: bytes, as: UTF8.self) : "\(bytes.count)"
                    sent.continuation.yield("\(camera) \(text)")
                    return bytes.count > mostBytes ? .tooLarge(most: nil) : .delivered
                },
                warn: { [self] line in warnings.withLock { $0.append(line) } })
        }
    }

    private static func picture(_ name: String, hangs: Bool = false, bytes: [UInt8]? = nil) -> PictureReports.Picture {
        PictureReports.Picture(name: name, bytes: bytes, path: hangs ? "/mnt/\(name)" : nil)
    }

    private static func run(_ place: Place, _ body: (PictureReports) async -> Void) async {
        let reports = PictureReports(place.steps)
        await withTaskGroup { group in
            group.addTask { await reports.run() }
            await body(reports)
            group.cancelAll()
        }
    }

    @Test("A disk that hangs keeps only its own pictures, and the newest of them follows")
    func hangingDisk() async {
        let place = Place()
        await Self.run(place) { reports in
            var (sent, reading) = (place.sent.stream.makeAsyncIterator(), place.reading.stream.makeAsyncIterator())
            await reports.connect()
            await reports.update(["a": Self.picture("1", hangs: true)])
            #expect(await reading.next() == "1")
            await reports.update(["a": Self.picture("2"), "b": Self.picture("1")])
            #expect(await sent.next() == "b 1")
            await reports.update(["a": Self.picture("3"), "b": Self.picture("1")])
            place.endHang()
            #expect(await sent.next() == "a 1")
            #expect(await sent.next() == "a 3")
            await reports.update(["a": Self.picture("3"), "b": Self.picture("2")])
            #expect(await sent.next() == "b 2")
        }
    }

    @Test("Without a connection nothing is read; each connection gets the last picture of each camera")
    func connections() async {
        let place = Place()
        await Self.run(place) { reports in
            var sent = place.sent.stream.makeAsyncIterator()
            await reports.update(["a": Self.picture("1")])
            await reports.update(["a": Self.picture("2")])
            await reports.connect()
            #expect(await sent.next() == "a 2")
            await reports.disconnect()
            await reports.update(["a": Self.picture("3")])
            await reports.update(["a": Self.picture("4")])
            await reports.connect()
            #expect(await sent.next() == "a 4")
        }
    }

    @Test("A picture that is too large gets smaller until the broker accepts it, which is logged once")
    func shrinking() async {
        let place = Place(mostBytes: 100_000)
        await Self.run(place) { reports in
            var sent = place.sent.stream.makeAsyncIterator()
            await reports.connect()
            for name in ["1", "2"] {
                await reports.update(["a": Self.picture(name, bytes: [UInt8](repeating: 1, count: 300_000))])
                var last = await sent.next()
                while let size = last, size != "a 75000" { last = await sent.next() }
            }
            await reports.update(["a": Self.picture("3")])
            #expect(await sent.next() == "a 3")
            #expect(place.warnings.withLock { $0.count } == 1)
        }
    }

    @Test("The limit of a broker is learned, doubles each hour, and is too small at some point")
    func size() {
        let now = ContinuousClock.now
        var size = PictureSize()
        #expect([size.most(at: now)] == [4 << 20])
        size.shrink(after: 2 << 20, most: 500_000, at: now)
        let lines = [size.report(), size.report()]
        #expect(lines[0]?.contains("500000") == true && lines[1] == nil)
        let sizes = [0, 3599, 3600, 7200, 36_000].map { size.most(at: now.advanced(by: .seconds($0))) }
        #expect(sizes == [500_000, 500_000, 1_000_000, 2_000_000, 4 << 20])
        for _ in 0..<10 { size.shrink(after: 20_000, most: nil, at: now) }
        #expect([size.most(at: now)] == [nil])
        #expect(size.report()?.contains("not sent") == true)
    }
}
#endif
