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
        case .notice(let notice): self.init(clip: "notice", camera: camera, Self.members(of: notice))
        }
    }

    /// Creates the event of a change of the films of a series; without it, of the films that clients have ordered.
    init(_ change: FilmChange, camera: String? = nil, series: String? = nil) {
        switch change {
        case .made(let film), .removed(let film):
            let id = JSONValue.Member(name: "film", value: .integer(film.id))
            self.init(film: film.state.rawValue, [id] + film.members.dropFirst(), camera: camera, series: series)
            changedClip = series.map { (.series($0), film.id) }
        case .notice(let notice):
            self.init(film: "notice", Self.members(of: notice), camera: camera, series: series)
        }
    }

    /// Creates the event of a film that a client has ordered.
    package init(_ report: FilmDesk.Report) {
        switch report {
        case .change(let change): self.init(change)
        case .making: self.init(film: "making", [])
        case .progress(let done, let all):
            self.init(
                film: "making",
                [("done", done), ("pictures", all)].map { JSONValue.Member(name: $0, value: .integer($1)) })
        case .failed(let error): self.init(film: "failed", [JSONValue.Member(name: "error", value: error.json)])
        }
    }

    private static func members(of notice: Notice) -> [JSONValue.Member] {
        notice.members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
    }

    private init(film type: String, _ members: [JSONValue.Member], camera: String? = nil, series: String? = nil) {
        self.init(camera: camera, series: series, Self.event("film", type, members))
    }

    private init(
        clip type: String, camera: String, _ members: [JSONValue.Member], at time: JSONValue.Member = .now
    ) { self.init(camera: camera, series: nil, Self.event("clip", type, members, at: time)) }

    private static func event(
        _ kind: String, _ type: String, _ members: [JSONValue.Member], at time: JSONValue.Member = .now
    ) -> JSONValue {
        func text(_ name: String, _ value: String) -> JSONValue.Member { .init(name: name, value: .string(value)) }
        return .object([text("event", kind), time, text("type", type)] + members)
    }
}

extension JSONValue.Member {
    /// The present time.
    fileprivate static var now: JSONValue.Member { .init(name: "at", value: .string(WallTime.now().iso8601)) }
}
