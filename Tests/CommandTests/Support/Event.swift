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

    /// The objects of a list.
    func objects(_ name: String) -> [Event] { (members[name] as? [[String: Any]] ?? []).map(Event.init(members:)) }
}
