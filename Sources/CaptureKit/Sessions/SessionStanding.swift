// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How far a session has come: what is written down, so that it can be gone on with after a crash.
public struct SessionStanding: Sendable, Hashable {
    /// How a session ended.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// Its pictures are wanted.
        case accepted
        /// Somebody broke it off, or did not want its pictures.
        case cancelled
    }

    /// The session's name.
    public let session: String
    /// Its stages, in order.
    public var stages: [StageStanding]
    /// The number of the next picture that is asked for.
    public var nextPicture = 1
    /// Pictures of aborted runs that are kept.
    public var setAside: [SessionPicture] = []
    /// How it ended; `nil` while it goes on.
    public var ending: Ending?

    /// Where a session stands at its beginning.
    public init(_ session: SessionDescription) {
        self.init(session: session.name, stages: session.stages.map { StageStanding(name: $0.name) })
    }

    init(session: String, stages: [StageStanding]) { (self.session, self.stages) = (session, stages) }
}

extension SessionStanding {
    /// Every picture of the session, without those set aside.
    public var pictures: [SessionPicture] { stages.flatMap(\.allPictures) }

    /// True where something was done already.
    public var isBegun: Bool { stages.contains { $0.progress != .open || !$0.allPictures.isEmpty } }

    /// The number of a picture that is asked for; no other has it.
    mutating func takeNumber() -> Int {
        defer { nextPicture += 1 }
        return nextPicture
    }

    /// The first stage that is still to be done.
    public var openStage: Int? { stages.firstIndex { $0.progress == .open } }

    /// Does without pictures that are gone: their stages are to be done again.
    mutating func lose(_ numbers: Set<Int>) {
        for index in stages.indices { stages[index].lose(numbers) }
        setAside.removeAll { numbers.contains($0.number) }
    }

    /// Makes sure that a standing that was written down belongs to a session as it is now.
    ///
    /// - Throws: ``CaptureError`` `.configuration` where the session has other stages meanwhile, or the numbers make no
    ///   sense.
    public func check(against session: SessionDescription) throws(CaptureError) {
        guard stages.map(\.name) == session.stages.map(\.name) else {
            throw CaptureError(
                .configuration, "the session has other stages than when it was begun", subject: self.session,
                advice: "discard it, or restore the session's file")
        }
        let numbers = (pictures + setAside).map(\.number)
        let isSound = Set(numbers).count == numbers.count && numbers.allSatisfy { $0 >= 1 && $0 < nextPicture }
        guard (1...Self.mostPictures).contains(nextPicture), isSound else {
            throw CaptureError(
                .configuration, "the numbers of its pictures make no sense", subject: self.session,
                advice: "discard it")
        }
    }

    /// More pictures are asked for in no session.
    private static let mostPictures = 1_000_000_000
}
