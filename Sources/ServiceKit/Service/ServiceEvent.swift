// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import SessionKit

/// An event of a job of a service, or of the service itself.
public struct ServiceEvent: Sendable {
    /// The ID of the camera; `nil` for an event of a session, or of the whole service.
    public let camera: String?
    /// The ID of the series; `nil` for an event of a single picture, or of the whole service.
    public let series: String?
    /// The ID of the session; `nil` for other events.
    public let session: String?
    /// The name of the event, as in `--json` of a capture: `captured`, `missed`, `lost`. Additional names: `series` for
    /// a new state of a series, `clip` for a recording, `film` for the film of a day, and `reloaded`.
    public let kind: String
    /// The folder of the run that the event is about; `nil` for other events. Clients see only its name.
    package let runFolder: String?
    /// The clip or film that is complete, repaired or removed now; `nil` for other events.
    package internal(set) var changedClip: (owner: ClipOwner, id: Int)?
    /// The event as a JSON object.
    package let json: JSONValue

    /// The members that name paths of this machine. Clients name pictures and runs by ID.
    static let paths: Set = ["file", "files", "folder", "pipeline", "source"]

    init(
        _ kind: String, camera: String?, series: String?, runFolder: String? = nil,
        _ members: KeyValuePairs<String, JSONValue?> = [:]
    ) {
        self.init(camera: camera, series: series, runFolder: runFolder, .event(kind, members))
    }

    /// Creates the event of a capture; `nil` if the event is not for programs. Clients name pictures by ID, so paths of
    /// this machine are left out.
    ///
    /// - Parameter still: The ID of the picture, if the event is about one.
    init?(_ event: CaptureEvent, camera: String, series: String?, still: String? = nil) {
        // The end of a capture is a new state of its series.
        if case .finished = event { return nil }
        guard case .object(var members)? = event.json else { return nil }
        members.removeAll { Self.paths.contains($0.name) }
        if let still { members.append(JSONValue.Member(name: "still", value: .string(still))) }
        self.init(camera: camera, series: series, .object(members))
    }

    /// Creates the event of a session. It has the members that `session run --json` prints, with the ID of the run in
    /// place of its folder.
    ///
    /// - Parameter runFolder: The folder of the run; `nil` before it is made.
    init(_ event: SessionEvent, of description: SessionDescription, session: String, runFolder: String?) {
        var members: [JSONValue.Member] = []
        if case .object(let list) = event.json(of: description) { members = list }
        members.removeAll { Self.paths.contains($0.name) }
        // Events are kept, and replayed to anyone who may view: the values of persons are only in the session's state.
        if case .filled(let values) = event, let index = members.firstIndex(where: { $0.name == "fields" }) {
            members[index] = JSONValue.Member(name: "fields", value: .array(values.keys.sorted().map(JSONValue.string)))
        }
        self.init(camera: nil, series: nil, session: session, runFolder: runFolder, .object(members))
    }

    /// Inserts the IDs of the owners after the name and the time, and appends that of the run.
    init(
        camera: String?, series: String?, session: String? = nil, runFolder: String? = nil, _ event: JSONValue
    ) {
        (self.camera, self.series, self.session, self.runFolder) = (camera, series, session, runFolder)
        var (members, name) = ([JSONValue.Member](), "")
        if case .object(let list) = event { members = list }
        if case .string(let text)? = members.first?.value { name = text }
        let owners = [("camera", camera), ("series", series), ("session", session)].compactMap { name, id in
            id.map { JSONValue.Member(name: name, value: .string($0)) }
        }
        members.insert(contentsOf: owners, at: min(2, members.count))
        if let runFolder {
            members.append(JSONValue.Member(name: "run", value: .string(SessionRuns.name(runFolder))))
        }
        (kind, json) = (name, .object(members))
    }
}
