// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A picture that is encoded, and has its name and number, but is on no disk yet.
struct EncodedStill: Sendable {
    /// Whether its file is at its path.
    enum Placement: Sendable {
        /// It is not.
        case notTried
        /// It may be, or its side file: an attempt failed.
        case unknown
        /// It was, when the name could not be made durable.
        case inPlace
    }

    /// Its record; the time that storing takes is not known yet.
    private(set) var still: Still
    /// The file.
    let bytes: [UInt8]
    /// What describes it in a side file; `nil` for pictures that say themselves what they are.
    let description: [UInt8]?
    /// The path of the file, once it is stored.
    private(set) var path: String
    /// The path that it gets if that name is free.
    fileprivate let wantedPath: String
    /// When it was encoded.
    let encoded: ClockTime
    /// The effect of the attempts to store it so far.
    var placement = Placement.notTried

    init(still: Still, bytes: [UInt8], description: [UInt8]?, path: String, encoded: ClockTime) {
        (self.still, self.bytes, self.description, self.encoded) = (still, bytes, description, encoded)
        (self.path, wantedPath) = (path, path)
    }

    /// The memory that it takes.
    var byteCount: Int { bytes.count + (description?.count ?? 0) }

    /// The path of the side file.
    static func sidePath(of path: String) -> String { path + ".json" }
}

extension EncodedStill {
    /// The same picture by another name.
    fileprivate func renamed(_ path: String) -> EncodedStill {
        var picture = self
        (picture.path, picture.still.path) = (path, path)
        return picture
    }

    fileprivate func isTaken(_ path: String) -> Bool {
        DeviceFiles.exists(path) || description != nil && DeviceFiles.exists(Self.sidePath(of: path))
    }
}

/// Finds names that no file has: the picture's own, or else that with a number behind, `120000-2.jpg`.
///
/// A name by time comes twice where a clock is set back or summer time ends, and where a late picture and the next one
/// are of the same second. A name of the day alone comes with each picture: the search starts at the number found last, and
/// doubles its steps, so that it looks at log n names at most.
struct FreeName: Sendable {
    /// The last name that was taken, and the number that was found for it.
    private var last: (path: String, number: Int)?

    /// The picture by a name that no file has.
    mutating func rename(_ picture: EncodedStill) -> EncodedStill {
        let path = picture.wantedPath
        guard picture.isTaken(path) else { return picture.renamed(path) }
        let number = search(from: last?.path == path ? last?.number ?? 2 : 2) {
            picture.isTaken(Self.name(path, $0))
        }
        last = (path, number)
        return picture.renamed(Self.name(path, number))
    }

    /// A number from `first` on that is not taken: the number before it is, or it is `first`.
    private func search(from first: Int, isTaken: (Int) -> Bool) -> Int {
        guard isTaken(first) else { return first }
        var (taken, step) = (first, 1)
        while step < 1 << 40, isTaken(taken + step) {
            taken += step
            step *= 2
        }
        return taken + (1..<step).partition { !isTaken(taken + $0) }
    }

    private static func name(_ path: String, _ number: Int) -> String {
        let (stem, ending) = parts(of: path)
        return "\(stem)-\(number)\(ending)"
    }

    /// A name that begins with a dot has no ending by that.
    private static func parts(of path: String) -> (stem: Substring, ending: Substring) {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path.lastIndex(of: "."), dot > name else { return (path[...], "") }
        return (path[..<dot], path[dot...])
    }
}
