// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// An encoded picture with its name and number that is not on the disk yet.
struct EncodedStill: Sendable {
    /// The state of the file at the picture's path.
    enum Placement: Sendable {
        /// There was no attempt to store it.
        case notTried
        /// An attempt failed: the file or its side file may exist.
        case unknown
        /// The file was in place when making its name durable failed.
        case inPlace
    }

    /// The picture's record; its storing time is set later.
    private(set) var still: Still
    /// The content of the file.
    let bytes: [UInt8]
    /// The content of the side file, which describes the picture; `nil` for formats that describe themselves.
    let description: [UInt8]?
    /// The path of the file, which changes if the wanted path is taken.
    private(set) var path: String
    /// The path that the file gets if that name is free.
    fileprivate let wantedPath: String
    /// When the picture was encoded.
    let encoded: ClockTime
    /// The result of the attempts so far to store the picture.
    var placement = Placement.notTried

    init(still: Still, bytes: [UInt8], description: [UInt8]?, path: String, encoded: ClockTime) {
        (self.still, self.bytes, self.description, self.encoded) = (still, bytes, description, encoded)
        (self.path, wantedPath) = (path, path)
    }

    /// The memory that the picture occupies, in bytes.
    var byteCount: Int { bytes.count + (description?.count ?? 0) }

    /// Returns the path of a picture's side file.
    static func sidePath(of path: String) -> String { path + ".json" }
}

extension EncodedStill {
    /// Returns the same picture under another path.
    fileprivate func renamed(_ path: String) -> EncodedStill {
        var picture = self
        (picture.path, picture.still.path) = (path, path)
        return picture
    }

    fileprivate func isTaken(_ path: String) -> Bool {
        DeviceFiles.exists(path) || description != nil && DeviceFiles.exists(Self.sidePath(of: path))
    }
}

/// Finds free file names: the picture's own name, or else that name with a number, such as `120000-2.jpg`.
///
/// A name by time repeats if the clock is set back, if summer time ends, or if a late picture and the next one belong
/// to the same second. A name by day repeats with each picture: the search starts at the number found last, doubles its
/// steps, and then halves them, so that the number of checks grows with log n.
struct FreeName: Sendable {
    /// The last requested path that was taken, and the free number found for it.
    private var last: (path: String, number: Int)?

    /// Returns the picture under a name that no file has.
    mutating func rename(_ picture: EncodedStill) -> EncodedStill {
        let path = picture.wantedPath
        guard picture.isTaken(path) else { return picture.renamed(path) }
        let number = search(from: last?.path == path ? last?.number ?? 2 : 2) {
            picture.isTaken(Self.name(path, $0))
        }
        last = (path, number)
        return picture.renamed(Self.name(path, number))
    }

    /// Returns `first` if it is free, or else a free number after a taken one.
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

    /// Splits a path before its extension. A leading dot does not begin an extension.
    private static func parts(of path: String) -> (stem: Substring, ending: Substring) {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path.lastIndex(of: "."), dot > name else { return (path[...], "") }
        return (path[..<dot], path[dot...])
    }
}
