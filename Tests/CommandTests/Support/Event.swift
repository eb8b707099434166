// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// A line of `--json`.
struct Event: @unchecked Sendable {  // Values of JSON, which never change.
    private let members: [String: Any]

    init(_ line: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        members = value as? [String: Any] ?? [:]
    }

    private init(members: [String: Any]) { self.members = members }

    var name: String { self["event"] ?? "" }

    subscript<Value>(name: String) -> Value? { members[name] as? Value }

    /// The object of a member.
    func object(_ name: String) -> Event? { (members[name] as? [String: Any]).map(Event.init(members:)) }

    /// The slots of an event, or of a line of a ledger: slots that are missed in a row share one.
    var slots: [Int] {
        guard let first: Int = self["slot"] else { return [] }
        return Array(first...(self["last_slot"] ?? first))
    }

    /// The slots that the event accounts for.
    var accountedSlots: [Int] { ["captured", "missed", "failed"].contains(name) ? slots : [] }

    /// The objects of a list.
    func objects(_ name: String) -> [Event] { (members[name] as? [[String: Any]] ?? []).map(Event.init(members:)) }
}
