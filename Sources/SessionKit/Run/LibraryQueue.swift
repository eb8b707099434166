// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The order in which pictures of a library are brought into a session. Pure.
///
/// A picture leaves the queue while the session has it, and returns when the session drops it. The queue has the order
/// of the library; pictures that a retake replaces, or that failed twice in a row, come after the others.
struct LibraryQueue: Sendable, Hashable {
    /// The pictures, by path.
    private let paths: [String]
    /// The index in ``paths`` of each picture of the session, by the picture's number.
    private var entries: [Int: Int] = [:]
    /// The number of the picture that is being brought in; `nil` if there is none.
    private var pending: Int?
    /// The entries that come after the others.
    private var deferred: Set<Int> = []
    /// The entry that failed last; `nil` after a success, or after its second failure.
    private var failed: Int?
    /// The numbers of pictures that a retake replaces. They can be brought in again, if only to crop them differently.
    private var former: Set<Int> = []

    init(_ paths: [String]) { self.paths = paths }

    /// `true` if no picture is left to be brought in.
    var isEmpty: Bool { next == nil }

    /// Removes the next picture from the queue, and returns its path; `nil` if the queue is empty.
    ///
    /// - Parameter number: The number of the picture in the session.
    mutating func dequeue(for number: Int) -> String? {
        guard let next else { return nil }
        (entries[number], pending) = (next, number)
        return paths[next]
    }

    /// Puts a picture that failed back into the queue: as the next one, so that no later picture takes its place, and
    /// after two failures in a row after the others.
    mutating func fail(_ number: Int) {
        if pending == number { pending = nil }
        guard let entry = entries.removeValue(forKey: number) else { return }
        if failed == entry { deferred.insert(entry) }
        failed = failed == entry ? nil : entry
    }

    /// Puts a canceled picture back into the queue. This does not count as a failure.
    mutating func cancel(_ number: Int) {
        if pending == number { pending = nil }
        entries[number] = nil
    }

    /// Updates the queue for the progress: pictures that the session dropped return to the queue.
    mutating func follow(_ progress: SessionProgress) {
        let kept = Set(progress.stages.flatMap(\.pictures).map(\.number))
        let former = Set(progress.stages.flatMap { $0.former ?? [] }.map(\.number))
        if let number = pending, kept.contains(number) { (pending, failed) = (nil, nil) }
        entries = entries.filter { kept.contains($0.key) || former.contains($0.key) || $0.key == pending }
        for (number, entry) in entries where former.contains(number) { deferred.insert(entry) }
        deferred.subtract(entries.filter { kept.contains($0.key) }.values)
        self.former = former
    }

    /// Removes from the queue the pictures that an earlier run brought in.
    mutating func restore(_ stills: some Sequence<SessionStill>) {
        for still in stills.sorted(by: { $0.number < $1.number }) {
            guard let source = still.source else { continue }
            let used = Set(entries.values)
            entries[still.number] = paths.indices.first { paths[$0] == source && !used.contains($0) }
        }
    }

    /// The entry that is brought in next; `nil` if none is left.
    private var next: Int? {
        let used = Set(entries.filter { !former.contains($0.key) }.values)
        let free = paths.indices.filter { !used.contains($0) }
        return free.first { !deferred.contains($0) } ?? free.first
    }
}
