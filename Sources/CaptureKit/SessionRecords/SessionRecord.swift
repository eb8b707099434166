// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What is written down of a session, so that others can use its pictures, and it can be gone on with after a crash:
/// `session.json` in the session's folder.
///
/// `docs/session.schema.json` describes the file. Versions that come later may add members; readers pass over what they do
/// not know.
public struct SessionRecord: Sendable, Hashable {
    /// The version of the file that is written.
    public static let version = 1
    /// The name of the file.
    public static let fileName = "session.json"

    /// What the session is called on a screen.
    public var title: String
    /// The file that it was run from; `nil` where a program made it.
    public var definition: String?
    /// When it began, as ISO 8601 has it.
    public var begun: String
    /// When it ended, as ISO 8601 has it; `nil` while it goes on.
    public var ended: String?
    /// How far it has come.
    public var standing: SessionStanding
    /// What is known of each picture that the standing names, by its number.
    public var stills: [Int: SessionStill]

    /// The record of a session that begins.
    public init(_ session: SessionDescription, begun: WallTime = .now()) {
        title = session.title
        self.begun = begun.iso8601
        standing = SessionStanding(session)
        stills = [:]
    }

    init(title: String, begun: String, standing: SessionStanding, stills: [Int: SessionStill]) {
        (self.title, self.begun, self.standing, self.stills) = (title, begun, standing, stills)
    }
}

extension SessionRecord {
    /// The pictures of the session in the order of its stages, without those set aside.
    public var pictures: [SessionStill] { standing.pictures.compactMap { stills[$0.number] } }

    /// The record that belongs to a standing, with what is known of its pictures and of no others.
    func with(_ standing: SessionStanding, _ stills: [Int: SessionStill], at now: WallTime = .now()) -> SessionRecord {
        var record = self
        let numbers = Set((standing.pictures + standing.setAside).map(\.number))
        record.standing = standing
        record.stills = stills.filter { numbers.contains($0.key) }
        if standing.ending != nil, ended == nil { record.ended = now.iso8601 }
        return record
    }
}
