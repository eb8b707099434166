// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How far a stage of a session has come.
public struct StageStanding: Sendable, Hashable {
    /// What became of it.
    public enum Progress: String, Sendable, Hashable, CaseIterable {
        /// It is still to be done.
        case open
        /// It has all its pictures.
        case done
        /// It was left out.
        case skipped
    }

    /// The stage's name.
    public let name: String
    /// What became of it.
    public var progress = Progress.open
    /// Its pictures, in the order they were taken.
    public var pictures: [SessionPicture] = []
    /// While it is taken once more, what it had before: kept until the new pictures are all there. Else `nil`.
    public var former: [SessionPicture]?

    /// Creates the standing of a stage that nothing was done for yet.
    public init(name: String) { self.name = name }
}

extension StageStanding {
    /// Every picture that belongs to it.
    var allPictures: [SessionPicture] { pictures + (former ?? []) }

    /// Opens it once more, with what it has put by.
    mutating func reopen() { (progress, former, pictures) = (.open, (former ?? []) + pictures, []) }

    /// Closes it, and answers the pictures that have no place in it any more.
    mutating func close() -> [SessionPicture] {
        let replaced = former ?? []
        (progress, former) = (.done, nil)
        return replaced
    }

    /// Does without pictures that are gone: what was done is open then.
    mutating func lose(_ numbers: Set<Int>) {
        guard allPictures.contains(where: { numbers.contains($0.number) }) else { return }
        pictures.removeAll { numbers.contains($0.number) }
        former?.removeAll { numbers.contains($0.number) }
        if former?.isEmpty == true { former = nil }
        if progress == .done { progress = .open }
    }

    /// Leaves it out, or as it was before it was opened once more; answers the pictures that have no place in it any more.
    mutating func skip() -> [SessionPicture] {
        let taken = pictures
        pictures = former ?? []
        (progress, former) = (pictures.isEmpty ? .skipped : .done, nil)
        return taken
    }

    /// Takes the pictures out that it got since it was opened.
    mutating func empty() -> [SessionPicture] {
        let taken = pictures
        (progress, pictures) = (.open, [])
        return taken
    }
}
