// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A session of the lab: its events, and its folder.
struct LabSession {
    /// A line of `session run --json`.
    struct Event: Decodable {
        let event: String
        let stage: String?
        let message: String?
        let picture: Picture?
    }

    /// An entry of `session.json`.
    struct Picture: Decodable {
        let number: Int
        let stage: String
        let file: String
        let bytes: Int
        let sha256: String
        let role: String?
        let camera: String?
        /// The pictures of the other cameras at the same moment.
        let views: [View]?

        struct View: Decodable {
            let role: String
            let camera: String
            let file: String
            let bytes: Int
            let offsetMs: Double
        }
    }

    /// `session.json`, with the keys that the lab reads.
    struct Record: Decodable {
        struct Stage: Decodable {
            let name: String
            let state: String
            let pictures: [Picture]
        }

        struct Result: Decodable {
            let file: String
            let bytes: Int
        }

        let state: String
        let stages: [Stage]
        /// Photo strips and contact sheets.
        let results: [Result]?
    }

    let step: LabStep
    let events: [Event]
    let record: Record
    private let folder: URL

    /// Reads the session of a step, which has exactly one.
    init(_ name: String) async throws {
        step = try await LabSuite.step(name)
        // The output of a terminal has carriage returns, and echoes the typed keys.
        let lines = step.output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("{") }
        events = try CommandOutput.lines(in: lines.joined(separator: "\n"))
        let folders = try FileManager.default.contentsOfDirectory(at: step.folder, includingPropertiesForKeys: nil)
            .filter { FileManager.default.fileExists(atPath: $0.appendingPathComponent("session.json").path) }
        try #require(folders.count == 1, "exit \(step.status): \(step.error.suffix(2000)) \(step.output.suffix(2000))")
        folder = folders[0]
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        record = try decoder.decode(
            Record.self, from: Data(contentsOf: folder.appendingPathComponent("session.json")))
    }

    /// The pictures, in the order of the stages.
    var pictures: [Picture] { record.stages.flatMap(\.pictures) }

    /// The files of the pictures that were reported as durable.
    var reported: [String] { events.compactMap(\.picture?.file) }

    /// Checks that the session was accepted, and that the folder has exactly the pictures of the record, byte for byte.
    func expectWhole() throws {
        #expect(record.state == "accepted")
        let views = pictures.flatMap { $0.views ?? [] }
        var sizes = pictures.map { ($0.file, $0.bytes) }
        sizes += (record.results ?? []).map { ($0.file, $0.bytes) } + views.map { ($0.file, $0.bytes) }
        for (file, size) in sizes {
            let bytes = try Data(contentsOf: folder.appendingPathComponent(file))
            #expect(bytes.count == size)
            #expect(bytes.prefix(2) == Data([0xFF, 0xD8]) && bytes.suffix(2) == Data([0xFF, 0xD9]))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(sizes.map(\.0) + ["session.json", "session.yaml"]))
    }
}
