// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// The output of `--json`, with the keys that the lab reads: one object a line.
enum CommandOutput {
    /// A line of `cameras --json`.
    struct Camera: Decodable {
        let id: String
        let name: String
        let kind: String
        let path: String?
        let serial: String?
        let formats: [Format]
    }

    /// A format of a camera.
    struct Format: Decodable {
        let fourcc: String
        let sizes: [Size]
    }

    /// A frame size of a format.
    struct Size: Decodable {
        let width: Int
        let height: Int
    }

    /// A line of `snap --json` or `timelapse --json`.
    struct Event: Decodable {
        let event: String
        let at: Date
        let slot: Int?
        let lastSlot: Int?
        let count: Int?
        let due: Date?
        let offsetMs: Double?
        let reason: String?
        let error: Failure?
        let file: String?
        let width: Int?
        let height: Int?
        let summary: Summary?

        /// The slots of the event.
        var slots: [Int] { slot.map { Array($0...max($0, lastSlot ?? $0)) } ?? [] }
    }

    /// The error of an event.
    struct Failure: Decodable {
        let message: String
    }

    /// A line of `ledger --json`.
    struct LedgerEntry: Decodable {
        let series: Int
        let outcome: String
        let slot: Int
        let lastSlot: Int
        /// The mean brightness of a picture, 0 black to 1 white.
        let brightness: Double?

        var slots: [Int] { Array(slot...max(slot, lastSlot)) }
    }

    /// The summary at the end.
    struct Summary: Decodable {
        let ending: String
        let captured: Int
        let missed: Int
        let failed: Int
    }

    /// The objects of a step's output.
    static func lines<Line: Decodable>(of step: LabStep, as type: Line.Type = Line.self) throws -> [Line] {
        try lines(in: step.output)
    }

    /// The objects of a text.
    static func lines<Line: Decodable>(in text: String, as type: Line.Type = Line.self) throws -> [Line] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return try text.split(separator: "\n").map { try decoder.decode(type, from: Data($0.utf8)) }
    }

    /// Events of one name, in order.
    static func events(_ name: String, of step: LabStep) throws -> [Event] {
        try lines(of: step, as: Event.self).filter { $0.event == name }
    }
}
