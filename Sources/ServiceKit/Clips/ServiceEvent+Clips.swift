// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipKit
import ClipList
import ClipStore
import FilmStore

extension ServiceEvent {
    /// Creates the event of a recording; `nil` for one that comes too often. Clients name clips by ID, so paths of this
    /// machine are left out.
    ///
    /// - Parameter clip: The ID of the clip, if the event is about one.
    init?(_ event: ClipEvent, camera: String, clip: Int?) {
        if case .level = event { return nil }
        guard case .object(let all) = event.json, case .string(let type)? = all.first?.value, all.count > 1 else {
            return nil
        }
        let own = [clip.map { JSONValue.Member(name: "clip", value: .integer($0)) }].compactMap { $0 }
        let rest = all.dropFirst(2).filter { !Self.paths.contains($0.name) }
        self.init(clip: type, camera: camera, own + rest, at: all[1])
        if case .recorded = event, let clip { changedClip = (.camera(camera), clip) }
    }

    /// Creates the event of a change that no recording has made: a repair, a removal, or a notice.
    init(_ report: ClipFolder.Report, camera: String) {
        switch report {
        case .recovered(let clip), .removed(let clip):
            self.init(clip: clip.state.rawValue, camera: camera, clip.members)
            changedClip = (.camera(camera), clip.id)
        case .notice(let notice):
            let members = notice.members.compactMap { name, value in
                value.map { JSONValue.Member(name: name, value: $0) }
            }
            self.init(clip: "notice", camera: camera, members)
        }
    }

    /// Creates the event of a film.
    init(_ report: DayFilms.Report, camera: String, series: String) {
        switch report {
        case .made(let film), .removed(let film):
            let id = JSONValue.Member(name: "film", value: .integer(film.id))
            self.init(
                camera: camera, series: series, Self.event("film", film.state.rawValue, [id] + film.members.dropFirst())
            )
            changedClip = (.series(series), film.id)
        case .notice(let notice):
            let members = notice.members.compactMap { name, value in
                value.map { JSONValue.Member(name: name, value: $0) }
            }
            self.init(camera: camera, series: series, Self.event("film", "notice", members))
        }
    }

    /// Creates the event of a film that a client has ordered.
    package init(_ report: FilmDesk.Report) {
        let members: [JSONValue.Member]
        let type: String
        switch report {
        case .changed: (type, members) = ("making", [])
        case .progress(let done, let all):
            type = "making"
            members = [("done", done), ("pictures", all)].map { JSONValue.Member(name: $0, value: .integer($1)) }
        case .made(let film), .removed(let film):
            type = film.state.rawValue
            members = [JSONValue.Member(name: "film", value: .integer(film.id))] + film.members.dropFirst()
        case .failed(let error): (type, members) = ("failed", [JSONValue.Member(name: "error", value: error.json)])
        case .notice(let notice):
            type = "notice"
            members = notice.members.compactMap { name, value in
                value.map { JSONValue.Member(name: name, value: $0) }
            }
        }
        self.init(camera: nil, series: nil, Self.event("film", type, members))
    }

    private static func event(_ kind: String, _ type: String, _ members: [JSONValue.Member]) -> JSONValue {
        let head: KeyValuePairs<String, JSONValue> = [
            "event": .string(kind), "at": .string(WallTime.now().iso8601), "type": .string(type),
        ]
        return .object(head.map { JSONValue.Member(name: $0, value: $1) } + members)
    }

    private init(
        clip type: String, camera: String, _ members: [JSONValue.Member],
        at time: JSONValue.Member = JSONValue.Member(name: "at", value: .string(WallTime.now().iso8601))
    ) {
        let head = [("event", "clip"), ("type", type)].map { JSONValue.Member(name: $0, value: .string($1)) }
        self.init(camera: camera, series: nil, .object([head[0], time, head[1]] + members))
    }
}
