// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("Durability", .timeLimit(.minutes(10)))
struct DurabilityTests {
    /// The number of bursts that are killed: 15 by default, 50 in `make soak`, or 200 by `KILLS=200`.
    private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 15

    @Test("Every picture that exists after a kill at any moment of a burst is whole")
    func killed() async throws {
        for _ in 0..<Self.kills {
            let command = try Command()
            let process = try command.start(
                "snap", "--camera", "scene", "--width", "320", "--height", "240", "--framerate", "240", "--burst",
                "1000", "-o", "%04n.jpg", "--json")
            for _ in 0..<Int.random(in: 1...30) { _ = try await process.event("captured") }
            // A random moment without an event.
            for _ in 0..<Int.random(in: 0...100_000) { await Task.yield() }
            process.send(SIGKILL)
            _ = await process.outcome()
            let pictures = try command.files().filter { !$0.hasPrefix(".") }
            #expect(!pictures.isEmpty)
            for picture in pictures {
                let bytes = try command.bytes(picture)
                #expect(bytes.isJPEG, "\(picture)")
                #expect(try DecodedPicture(bytes).size == "320 240", "\(picture)")
                await Task.yield()
            }
        }
    }

    @Test("Leftover files of a killed run are removed by the next one, and those of a live run stay")
    func leftovers() async throws {
        let command = try Command()
        let hidden = command.folder.path + "/.gst-capture"
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: false)
        let names = (1...2).map { ".gst-capture-000000000000000\($0).tmp" }
        for name in names { try command.write("half a picture", to: ".gst-capture/" + name) }
        let writer = open(hidden + "/" + names[1], O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        try #require(flock(writer, LOCK_EX) == 0)
        _ = try await command.run("snap", "--camera", "scene", "-o", "a.jpg")
        #expect(try FileManager.default.contentsOfDirectory(atPath: hidden) == [names[1]])
        #expect(try command.files() == ["a.jpg"])
    }

    @Test(
        "If the camera delivers JPEG, the scan of the picture is the camera's, byte for byte", arguments: ["0", "90"])
    func passThrough(rotation: String) async throws {
        let command = try Command()
        let frame = command.folder.appendingPathComponent("frame.bin")
        try await Tool.run(
            "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "pattern=snow", "!",
            "video/x-raw,width=320,height=240", "!", "jpegenc", "!", "filesink", "location=\(frame.path)")
        let source =
            "multifilesrc location=frame.bin loop=true do-timestamp=true "
            + "caps=image/jpeg,width=320,height=240,framerate=30/1"
        let outcome = try await command.run("snap", "--source", source, "--rotate", rotation, "-o", "a.jpg")
        #expect(outcome.status == 0, "\(outcome.error)")
        let (picture, original) = try (command.bytes("a.jpg"), Data(contentsOf: frame))
        #expect(picture != original)
        #expect(try picture.scan == original.scan)
    }

    /// The number of pictures that are captured to detect growth: 20,000 by `SHOTS=20000`.
    private static let shots = ProcessInfo.processInfo.environment["SHOTS"].flatMap { Int($0) } ?? 800

    @Test("Memory, descriptors and threads do not grow, and no temporary file is left")
    func level() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--framerate", "240", "--interval",
            "5ms", "--count", "1000000000", "-o", "%06n.jpg", "--quiet")
        // Paths alone, because reports that wait for a slow reader take memory: the pipe has room for thousands of paths.
        var paths = process.lines.makeAsyncIterator()
        for _ in 0..<Self.shots / 4 { _ = await paths.next() }
        let early = try process.footprint
        for _ in 0..<Self.shots * 3 / 4 { _ = await paths.next() }
        let late = try process.footprint
        process.finish()
        let outcome = await process.outcome()
        #expect(late.kilobytes - early.kilobytes < 4096, "\(early), \(late)")
        #expect(late.descriptors <= early.descriptors + 2 && late.threads <= early.threads + 3, "\(early), \(late)")
        if Self.shots >= 20_000 { print("after \(Self.shots / 4) pictures \(early), after \(Self.shots) \(late)") }
        let files = try command.files()
        #expect(files.allSatisfy { $0.hasSuffix(".jpg") })
        #expect(files == outcome.lines)
        #expect(try await command.run("ledger", "--verify").status == 0)
    }
}

/// Programs that check our files.
private enum Tool {
    static func run(_ arguments: String..., input: Data? = nil) async throws {
        #expect(try await ChildProgram(arguments).status() == 0, "\(arguments)")
    }
}

extension Data {
    /// The bytes from the marker on that starts the scan.
    fileprivate var scan: Data {
        get throws { self[try #require(firstRange(of: Data([0xFF, 0xDA]))).lowerBound...] }
    }
}

/// The resources that a process uses.
private struct Footprint: CustomStringConvertible {
    let kilobytes: Int, descriptors: Int, threads: Int

    var description: String { "\(kilobytes) KiB, \(descriptors) descriptors, \(threads) threads" }
}

extension RunningCommand {
    /// The resources that the process uses now (`proc(5)`).
    fileprivate var footprint: Footprint {
        get throws {
            let folder = "/proc/\(identifier)"
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            func count(_ name: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").count
            }
            return try Footprint(
                kilobytes: #require(Int(line.filter(\.isNumber))), descriptors: count("fd"), threads: count("task"))
        }
    }
}
