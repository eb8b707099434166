// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The order in which pictures of a library are brought into a session. Pure.
///
/// A picture leaves the queue while the session has it, and comes back when the session drops it. Pictures come in the
/// order of the library; pictures that a retake replaces, or that failed twice in a row, come after the others.
struct LibraryQueue: Sendable, Hashable {
    /// The pictures, by path.
    private let paths: [String]
    /// The library entry of each picture of the session, by the picture's number.
    private var entries: [Int: Int] = [:]
    /// The picture that is being brought in.
    private var pending: Int?
    /// Entries that come after the others.
    private var deferred: Set<Int> = []
    /// The entry that failed last.
    private var failed: Int?
    /// Pictures that a retake is to replace. They can be brought in again: the retake may need another crop of them.
    private var former: Set<Int> = []

    init(_ paths: [String]) { self.paths = paths }

    /// `true` if no picture is left to be brought in.
    var isEmpty: Bool { next == nil }

    /// Removes the next picture from the queue, and returns its path.
    ///
    /// - Parameter number: The number that the session has for it.
    mutating func dequeue(for number: Int) -> String? {
        guard let next else { return nil }
        (entries[number], pending) = (next, number)
        return paths[next]
    }

    /// Puts a picture back that failed. It is the next again, so that no later picture takes its place; after two
    /// failures in a row others come first.
    mutating func fail(_ number: Int) {
        if pending == number { pending = nil }
        guard let entry = entries.removeValue(forKey: number) else { return }
        if failed == entry { deferred.insert(entry) }
        failed = failed == entry ? nil : entry
    }

    /// Puts a canceled picture back; this does not count as a failure.
    mutating func cancel(_ number: Int) {
        if pending == number { pending = nil }
        entries[number] = nil
    }

    /// Follows the session: pictures that it dropped are back in the queue.
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
