// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pictures of a session: their records, the paths of their files, and the library that provides more. Pure.
struct SessionPictures: Sendable {
    /// The records of the pictures, by number.
    private(set) var records: [Int: SessionStill] = [:]
    /// The path of the file to show for each picture, by number: the crop if there is one, or the first picture of a
    /// clip.
    private(set) var files: [Int: String] = [:]
    /// The path of each whole picture, by number.
    private(set) var wholes: [Int: String] = [:]
    /// The duration of each clip, by number.
    var durations: [Int: Duration] { records.compactMapValues(\.duration) }
    /// The library that provides pictures.
    var library: LibraryQueue
    /// The number of pictures in a row that were rejected, by stage.
    private var rejected: [Int: Int] = [:]

    /// Creates the pictures of a new session.
    ///
    /// - Parameter library: The paths of pictures that can be brought in, in order.
    init(library: [String]) { self.library = LibraryQueue(library) }

    /// Returns the records of pictures, in the same order. A picture without a record is left out.
    func records(of pictures: some Sequence<SessionPicture>) -> [SessionStill] {
        pictures.compactMap { records[$0.number] }
    }

    /// The ids of the cameras that captured the pictures.
    var cameras: Set<String> { Set(records.values.flatMap(\.cameras)) }

    // MARK: Storing

    /// Adds a picture whose files are stored in this folder.
    mutating func add(_ still: SessionStill, in folder: String) {
        let whole = still.isClip ? still.poster : still.file
        records[still.number] = still
        wholes[still.number] = whole.map { folder + "/" + $0.name }
        files[still.number] = still.shown.map { folder + "/" + $0.name }
    }

    /// Drops pictures that no longer belong to the session.
    ///
    /// - Returns: Their records.
    mutating func drop(_ numbers: [Int]) -> [SessionStill] {
        defer { for number in numbers { (records[number], files[number], wholes[number]) = (nil, nil, nil) } }
        return numbers.compactMap { records[$0] }
    }

    // MARK: Resuming

    /// Restores the records of an earlier run, without pictures whose files are missing. If only the crop is missing,
    /// or the first picture of a clip, the picture is restored without it.
    ///
    /// - Returns: The numbers of the missing pictures.
    mutating func restore(_ stills: [Int: SessionStill], missing: Set<String>) -> Set<Int> {
        let lost = stills.filter { still in
            ([still.value.file] + still.value.views.map(\.file)).contains { missing.contains($0.name) }
        }.keys
        records = stills.filter { !lost.contains($0.key) }
        for (number, still) in records {
            if let crop = still.crop, missing.contains(crop.file.name) { records[number]?.crop = nil }
            if let poster = still.poster, missing.contains(poster.name) { records[number]?.poster = nil }
        }
        return Set(lost)
    }

    /// Removes from the library's queue the pictures that an earlier run brought in.
    mutating func restoreLibrary(_ progress: SessionProgress) {
        library.restore(records(of: progress.pictures))
        library.follow(progress)
    }

    /// Sets the paths of the restored pictures, whose files are in this folder.
    mutating func showAll(in folder: String) {
        for still in records.values { add(still, in: folder) }
    }

    // MARK: Retakes

    /// How many pictures are rejected before one is kept.
    private static let mostRejected = 2

    /// Counts a picture that a gate rejects, or whose edges were not found.
    ///
    /// - Returns: `true` if the picture must be retaken; `false` if there were too many in a row.
    mutating func rejects(in stage: Int) -> Bool {
        guard rejected[stage, default: 0] < Self.mostRejected else { return false }
        rejected[stage, default: 0] += 1
        return true
    }

    /// Resets the count: a picture of the stage is kept.
    mutating func keepsPicture(of stage: Int) { rejected[stage] = 0 }
}
