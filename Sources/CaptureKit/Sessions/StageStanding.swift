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
    /// While a single picture is retaken: its number, which is one of ``former``. The others keep their places. Else `nil`.
    public var retaken: Int?

    /// Creates the standing of a stage that nothing was done for yet.
    public init(name: String) { self.name = name }
}

extension StageStanding {
    /// Every picture that belongs to it.
    var allPictures: [SessionPicture] { pictures + (former ?? []) }

    /// Opens it once more, with what it has put by.
    ///
    /// - Parameter picture: The number of the only picture to retake; `nil` to retake all.
    mutating func reopen(retaking picture: Int? = nil) {
        (progress, former, pictures) = (.open, (former ?? []) + pictures, [])
        retaken = former?.count == 1 ? nil : picture
    }

    /// Closes it, and answers the pictures that have no place in it any more.
    mutating func close() -> [SessionPicture] {
        var replaced = former ?? []
        if let index = replaced.firstIndex(where: { $0.number == retaken }), let picture = pictures.first {
            var kept = replaced
            replaced = [kept[index]]
            kept[index] = picture
            pictures = kept
        }
        (progress, former, retaken) = (.done, nil, nil)
        return replaced
    }

    /// While it is taken once more: the camera of the picture that is retaken, or of the last one.
    var formerCamera: CameraRole? {
        (former?.first { $0.number == retaken } ?? former?.last)?.camera
    }

    /// Where the next picture of the stage comes, from 0.
    var nextIndex: Int {
        (former ?? []).firstIndex { $0.number == retaken } ?? pictures.count
    }

    /// Does without pictures that are gone: what was done is open then.
    mutating func lose(_ numbers: Set<Int>) {
        guard allPictures.contains(where: { numbers.contains($0.number) }) else { return }
        pictures.removeAll { numbers.contains($0.number) }
        former?.removeAll { numbers.contains($0.number) }
        if retaken != nil {
            // With another picture gone, one new picture does not complete the stage: it takes all that are missing.
            (pictures, former, retaken) = ((former ?? []) + pictures, nil, nil)
        }
        if former?.isEmpty == true { former = nil }
        if progress == .done { progress = .open }
    }

    /// Leaves it out, or as it was before it was opened once more; answers the pictures that have no place in it any more.
    mutating func skip() -> [SessionPicture] {
        let taken = pictures
        pictures = former ?? []
        (progress, former, retaken) = (pictures.isEmpty ? .skipped : .done, nil, nil)
        return taken
    }

    /// Takes the pictures out that it got since it was opened.
    mutating func empty() -> [SessionPicture] {
        let taken = pictures
        (progress, pictures) = (.open, [])
        return taken
    }
}
