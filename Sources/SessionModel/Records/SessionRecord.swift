// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The record of a session, `session.json` in its folder. Other programs read it to use the pictures. After a crash,
/// the session resumes from it.
///
/// `docs/session.schema.json` describes the file. Later versions may add members; readers ignore members that they do
/// not know.
public struct SessionRecord: Sendable, Hashable {
    /// The version of the format that this library writes.
    public static let version = 1
    /// The name of the file.
    public static let fileName = "session.json"

    /// The title of the session, for the screen.
    public var title: String
    /// The path of the session's file; `nil` if a program created the session.
    public var definition: String?
    /// When the session began, in ISO 8601, with milliseconds and zone.
    public var begun: String
    /// When the user agreed to the session's consent, in ISO 8601, with milliseconds and zone; `nil` without consent.
    public var consented: String?
    /// How long a service keeps the pictures after the end of the session; `nil` for no limit.
    public var retention: Duration?
    /// When the session was accepted or canceled, in ISO 8601, with milliseconds and zone; `nil` until then.
    public var ended: String?
    /// The files that were made of the accepted pictures.
    public var results: [SessionFileRecord] = []
    /// The progress of the session.
    public var progress: SessionProgress
    /// The details of each picture in the progress, by its number.
    public var stills: [Int: SessionStill]

    /// Creates the record of a session that begins.
    public init(_ session: SessionDescription, begun: WallTime = .now()) {
        title = session.title
        retention = session.consent?.retention
        self.begun = begun.iso8601
        progress = SessionProgress(session)
        stills = [:]
    }

    init(title: String, begun: String, progress: SessionProgress, stills: [Int: SessionStill]) {
        (self.title, self.begun, self.progress, self.stills) = (title, begun, progress, stills)
    }
}

extension SessionRecord {
    /// The pictures of the session in the order of its stages, without those set aside.
    public var pictures: [SessionStill] { progress.pictures.compactMap { stills[$0.number] } }

    /// The time after which the pictures have to be removed: ``retention`` after the end of the session, or after its
    /// beginning if it was left. `nil` for no limit.
    public var removal: WallTime? {
        guard let retention, let time = WallTime(iso8601: ended ?? begun) else { return nil }
        return time.adding(retention)
    }

    /// Returns `true` if the time of ``removal`` has come, by a clock that does not believe jumps.
    package func isOverdue(by clock: AgeClock) -> Bool {
        guard let retention, let time = WallTime(iso8601: ended ?? begun), let age = clock.age(of: time.seconds) else {
            return false
        }
        return age >= retention.components.seconds
    }

    /// Returns the record with this progress, and with the details of its pictures only.
    ///
    /// - Parameter now: The end of the session if the progress has an ending; not used if the record has one already.
    package func with(_ progress: SessionProgress, _ stills: [Int: SessionStill], at now: WallTime) -> SessionRecord {
        var record = self
        let numbers = Set((progress.pictures + progress.setAside).map(\.number))
        record.progress = progress
        record.stills = stills.filter { numbers.contains($0.key) }
        if progress.hasConsent, consented == nil { record.consented = now.iso8601 }
        if progress.ending != nil, ended == nil { record.ended = now.iso8601 }
        return record
    }
}
