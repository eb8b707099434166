// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite("Commands that use the cameras of a service", .ownThread)
struct OneCommandTests {
    /// A service with the built-in scene, and the folder in which commands run.
    private final class Place {
        let service: ServedProgram
        let folder: URL
        var socket: String { folder.path + "/serve.sock" }

        init(_ camera: String = "camera: scene, width: 320, height: 180, framerate: 30") throws {
            folder = try ServedProgram.makeFolder()
            service = try Self.start(camera, folder)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        static func start(_ camera: String, _ folder: URL) throws -> ServedProgram {
            try ServedProgram(
                "  garden: { \(camera) }\n", in: folder,
                listen: "unix:\(folder.path)/serve.sock")
        }

        func start(_ line: [String], output: ChildProgram.Stream) throws -> ChildProgram {
            try ChildProgram(
                [ServedProgram.built("gst-capture").path] + line, in: folder,
                environment: ProcessInfo.processInfo.environment.merging(["GST_CAPTURE_SOCKET": socket]) { $1 },
                output: output, error: .null)
        }

        func run(_ line: String...) async throws -> (status: Int32, output: String, error: String) {
            try await ServedProgram.run(
                ["/usr/bin/env", "GST_CAPTURE_SOCKET=\(socket)", ServedProgram.built("gst-capture").path] + line,
                in: folder)
        }

        func exists(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
        }
    }

    @Test("snap has the frames of the service, in the format that it asks for")
    func snap() async throws {
        let place = try Place()
        let result = try await place.run(
            "snap", "--camera", "service:garden", "-o", "a.png", "--width", "160", "--height", "90")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output == "a.png")
        let bytes = try Data(contentsOf: place.folder.appendingPathComponent("a.png"))
        // The width and the height in the header of a PNG.
        #expect(Array(bytes[16..<24]) == [0, 0, 0, 160, 0, 0, 0, 90])
    }

    @Test("A series of the command has each slot once")
    func timelapse() async throws {
        let place = try Place()
        let result = try await place.run(
            "timelapse", "--camera", "service:garden", "--interval", "100ms", "--count", "10", "-o", "%n.jpg", "--json")
        #expect(result.status == 0, "\(result.error)")
        // A busy machine can miss slots, and says which.
        var slots: [Int] = []
        for line in result.output.split(separator: "\n") {
            guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = event["event"] as? String, ["captured", "missed"].contains(name),
                let first = event["slot"] as? Int
            else { continue }
            slots += first...(event["last_slot"] as? Int ?? first)
            if name == "captured" { #expect(place.exists("\(event["file"] as? String ?? "")")) }
        }
        #expect(slots.sorted() == Array(0..<10), "\(result.output)")
    }

    @Test("Options that contradict another program end with status 75 and name the option")
    func conflict() async throws {
        let place = try Place()
        let output = Pipe()
        let series = try place.start(
            ["timelapse", "--camera", "service:garden", "--interval", "1s", "-o", "%n.jpg"], output: .pipe(output))
        _ = output.fileHandleForReading.availableData
        let result = try await place.run("snap", "--camera", "service:garden", "--width", "160", "-o", "b.jpg")
        series.send(SIGTERM)
        _ = await series.status()
        #expect(result.status == 75)
        #expect(result.error.contains("is used by another program with another width"), "\(result.error)")
        #expect(result.error.contains("--width"))
        #expect(!place.exists("b.jpg"))
    }

    @Test("A series continues when its service has started again")
    func restart() async throws {
        let camera = "camera: scene, width: 320, height: 180, framerate: 30"
        let place = try Place(camera)
        let output = Pipe()
        let series = try place.start(
            ["timelapse", "--camera", "service:garden", "--interval", "100ms", "-o", "%n.jpg", "--json"],
            output: .pipe(output))
        var events = LineReader(output.fileHandleForReading)
        try events.skip(to: #""captured""#)
        await place.service.kill()
        try events.skip(to: #""lost""#)
        let next = try Place.start(camera, place.folder)
        try events.skip(to: #""recovered""#)
        try events.skip(to: #""captured""#)
        series.send(SIGTERM)
        #expect(await series.status() == 0)
        #expect(await next.stop() == 0)
    }

    @Test("controls asks the service")
    func controls() async throws {
        let place = try Place()
        let listed = try await place.run("controls", "--camera", "service:garden")
        #expect(listed.status == 0)
        #expect(listed.error.contains("has no controls"), "\(listed.error)")
        let changed = try await place.run("controls", "--camera", "service:garden", "--set", "brightness=1")
        #expect(changed.status != 0)
        #expect(!changed.error.isEmpty)
    }

    @Test("A camera that the service does not have is named, with those that it has")
    func unknown() async throws {
        let place = try Place()
        let result = try await place.run("snap", "--camera", "service:hall")
        #expect(result.status == 69)
        #expect(result.error.contains("service:hall") && result.error.contains("garden"), "\(result.error)")
    }

    @Test("Without a service, its cameras are an error with the remedy")
    func noService() async throws {
        let folder = try ServedProgram.makeFolder()
        let result = try await ServedProgram.run(
            [
                "/usr/bin/env", "GST_CAPTURE_SOCKET=\(folder.path)/none.sock",
                ServedProgram.built("gst-capture").path, "snap", "--camera", "service:garden",
            ], in: folder)
        #expect(result.status == 69)
        #expect(result.error.contains("gst-capture serve"), "\(result.error)")
    }
}

/// Reads lines of a program.
private struct LineReader {
    private let file: FileHandle
    private var text = ""

    init(_ file: FileHandle) { self.file = file }

    /// Reads up to a line that contains a text.
    mutating func skip(to wanted: String) throws {
        while true {
            while let end = text.firstIndex(of: "\n") {
                let line = text[..<end]
                text = String(text[text.index(after: end)...])
                if line.contains(wanted) { return }
            }
            let data = file.availableData
            try #require(!data.isEmpty, "the program has ended before \(wanted)")
            text += String(decoding: data, as: UTF8.self)
        }
    }
}
#endif
