// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The progress of a stage.
public struct StageProgress: Sendable, Hashable {
    /// The state of a stage.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The stage still needs pictures.
        case open
        /// The stage has all its pictures.
        case done
        /// The stage was skipped.
        case skipped
    }

    /// The stage's name.
    public let name: String
    /// The state of the stage.
    public var state = State.open
    /// The pictures, in the order of capture; one that was retaken alone has the place of its former picture.
    public var pictures: [SessionPicture] = []
    /// The former pictures during a retake, kept until all new ones are there; else `nil`.
    public var former: [SessionPicture]?
    /// The number of the picture that is retaken alone, which is one of ``former``; the others keep their places. Else
    /// `nil`.
    public var retaken: Int?

    /// Creates the progress of a stage that has not begun.
    public init(name: String) { self.name = name }
}

extension StageProgress {
    /// Every picture of the stage, with the former ones of a retake.
    var allPictures: [SessionPicture] { pictures + (former ?? []) }

    /// The newest picture, which is not the last one if another was retaken alone; `nil` if the stage has none.
    package var newest: SessionPicture? { pictures.max { $0.number < $1.number } }

    /// Opens the stage for a retake; keeps its pictures as the former ones.
    ///
    /// - Parameter picture: The number of the only picture to retake; `nil` to retake all.
    mutating func reopen(retaking picture: Int? = nil) {
        (state, former, pictures) = (.open, (former ?? []) + pictures, [])
        retaken = former?.count == 1 ? nil : picture
    }

    /// Closes the stage; returns the pictures that were replaced.
    mutating func close() -> [SessionPicture] {
        var replaced = former ?? []
        if let index = replaced.firstIndex(where: { $0.number == retaken }), let picture = pictures.first {
            var kept = replaced
            replaced = [kept[index]]
            kept[index] = picture
            pictures = kept
        }
        (state, former, retaken) = (.done, nil, nil)
        return replaced
    }

    /// The camera of the picture that is retaken, or of the last former picture; `nil` outside of a retake.
    var formerCamera: CameraRole? {
        (former?.first { $0.number == retaken } ?? former?.last)?.camera
    }

    /// The index of the next picture in the stage, from 0.
    package var nextIndex: Int {
        (former ?? []).firstIndex { $0.number == retaken } ?? pictures.count
    }

    /// Drops pictures whose files are missing; a stage that was done is open again.
    mutating func lose(_ numbers: Set<Int>) {
        guard allPictures.contains(where: { numbers.contains($0.number) }) else { return }
        pictures.removeAll { numbers.contains($0.number) }
        former?.removeAll { numbers.contains($0.number) }
        if retaken != nil {
            // With another picture missing, one new picture does not complete the stage: the stage retakes all that are
            // missing.
            (pictures, former, retaken) = ((former ?? []) + pictures, nil, nil)
        }
        if former?.isEmpty == true { former = nil }
        if state == .done { state = .open }
    }

    /// Skips the stage, or restores its state before a retake; returns the pictures that this drops.
    mutating func skip() -> [SessionPicture] {
        let taken = pictures
        pictures = former ?? []
        (state, former, retaken) = (pictures.isEmpty ? .skipped : .done, nil, nil)
        return taken
    }

    /// Removes the pictures captured since the stage was opened, and returns them.
    mutating func empty() -> [SessionPicture] {
        let taken = pictures
        (state, pictures) = (.open, [])
        return taken
    }
}
