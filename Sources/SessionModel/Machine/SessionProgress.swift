// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The progress of a session. It is saved, so that the session can be resumed after a crash.
public struct SessionProgress: Sendable, Hashable {
    /// How a session ended.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// The pictures were accepted.
        case accepted
        /// The session was canceled, or its pictures were discarded.
        case cancelled
    }

    /// The session's name.
    public let session: String
    /// The stages, in order.
    public var stages: [StageProgress]
    /// The number of the next picture.
    public var nextPicture = 1
    /// Pictures of aborted and canceled runs that are kept, oldest first.
    public var setAside: [SessionPicture] = []
    /// `true` once all stages were done or skipped; an abort with `restart` then repeats only the current stage.
    public var wasReviewed = false
    /// `true` once the user agreed to the session's consent.
    public var hasConsent = false
    /// The values of the form, by the names of their fields.
    public var form: [String: String] = [:]
    /// How the session ended; `nil` while it runs.
    public var ending: Ending?

    /// Creates the progress of a session that begins.
    public init(_ session: SessionDescription) {
        self.init(session: session.name, stages: session.stages.map { StageProgress(name: $0.name) })
    }

    init(session: String, stages: [StageProgress]) { (self.session, self.stages) = (session, stages) }
}

extension SessionProgress {
    /// The most pictures that are set aside: as many as a run can have while a stage is retaken.
    static let mostSetAside = SessionDescription.mostPictures + SessionStage.mostPictures

    /// Every picture of the session, except those set aside.
    public var pictures: [SessionPicture] { stages.flatMap(\.allPictures) }

    /// `true` if a stage has pictures, or is done or skipped.
    public var isBegun: Bool { stages.contains { $0.state != .open || !$0.allPictures.isEmpty } }

    /// Reserves a number for a picture; no other picture gets it.
    mutating func reserveNumber() -> Int {
        defer { nextPicture += 1 }
        return nextPicture
    }

    /// The first open stage; `nil` if there is none.
    public var openStage: Int? { stages.firstIndex { $0.state == .open } }

    /// Drops pictures whose files are missing, and opens their stages again.
    package mutating func lose(_ numbers: Set<Int>) {
        for index in stages.indices { stages[index].lose(numbers) }
        setAside.removeAll { numbers.contains($0.number) }
    }

    /// Checks that saved progress belongs to the session in its present form.
    ///
    /// - Throws: `CaptureError` `.configuration` if the session's stages have changed, or the numbers of pictures are
    ///   inconsistent.
    public func check(against session: SessionDescription) throws(CaptureError) {
        guard stages.map(\.name) == session.stages.map(\.name) else {
            throw CaptureError(
                .configuration, "the stages of the session have changed since it began", subject: self.session,
                advice: "discard it, or restore the session's file")
        }
        let numbers = (pictures + setAside).map(\.number)
        let isSound = Set(numbers).count == numbers.count && numbers.allSatisfy { $0 >= 1 && $0 < nextPicture }
        guard (1...Self.mostPictures).contains(nextPicture), isSound else {
            throw CaptureError(
                .configuration, "the numbers of its pictures are inconsistent", subject: self.session,
                advice: "discard it")
        }
    }

    /// The limit of picture numbers.
    private static let mostPictures = 1_000_000_000
}

/// A picture of a session, as the session's progress lists it. The controller keeps its file and its record by
/// ``number``.
public struct SessionPicture: Sendable, Hashable {
    /// Counts all pictures that the session requested, from 1. Numbers are unique, even after a retake.
    public let number: Int
    /// The camera that captured the picture; `nil` if no camera of the session did.
    public let camera: CameraRole?

    /// Creates a picture.
    public init(number: Int, camera: CameraRole?) {
        self.number = number
        self.camera = camera
    }
}
