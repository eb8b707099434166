// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// The course of one fault: when it was detected, when the camera was back, and how many slots it cost.
struct FaultAccount {
    /// A line of the file `faults`, which the lab's script writes.
    struct Record {
        let step: String
        let made: Double
        /// The time from which the camera could be used again; `nil` if the fault needs no repair.
        let mended: Double?
        let name: String

        init?(_ line: Substring) {
            let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
            guard parts.count == 4, let made = Double(parts[1]) else { return nil }
            (step, self.made, mended, name) = (parts[0], made, Double(parts[2]), parts[3])
        }
    }

    let record: Record
    /// Seconds from the fault to the event that reports it; `nil` if no event does.
    let found: Double?
    /// Seconds until the camera was back, from the time at which it could be used again.
    let recovered: Double?
    /// The number of slots that were missed meanwhile because the camera was lost.
    let missed: Int
    /// The error messages of its events, in order.
    let messages: [String]

    /// - Parameter end: The time of the next fault of the same timelapse.
    init(_ record: Record, _ events: [CommandOutput.Event], until end: Double) {
        let own = events.filter { ((record.made - 0.01)..<end).contains($0.at.timeIntervalSince1970) }
        let lost = own.first { $0.event == "lost" }?.at.timeIntervalSince1970
        self.record = record
        found = lost.map { $0 - record.made }
        recovered = own.first { $0.event == "recovered" }.flatMap { back in
            lost.map { back.at.timeIntervalSince1970 - max($0, record.mended ?? $0) }
        }
        missed = own.filter { $0.event == "missed" && $0.reason == "lost" }.compactMap(\.count).reduce(0, +)
        messages = own.compactMap(\.error?.message)
    }

    /// All faults, in the order in which they were made.
    static func all(in folder: URL, events: (String) throws -> [CommandOutput.Event]) throws -> [FaultAccount] {
        let text = try String(decoding: Data(contentsOf: folder.appendingPathComponent("faults")), as: UTF8.self)
        let records = text.split(separator: "\n").compactMap(Record.init)
        return try records.map { record in
            let later = records.filter { $0.step == record.step && $0.made > record.made }.map(\.made)
            return FaultAccount(record, try events(record.step), until: later.min() ?? .infinity)
        }
    }
}

extension FaultAccount: CustomStringConvertible {
    /// A line of the table.
    var description: String {
        func seconds(_ value: Double?) -> String { value.map { String(format: "%6.1f s", $0) } ?? "       -" }
        return record.name.padding(toLength: 28, withPad: " ", startingAt: 0)
            + "  \(seconds(found))  \(seconds(recovered))  " + String(format: "%6d", missed)
    }

    /// The header of the table.
    static let header = "fault                         found in   back in  missed"
}
