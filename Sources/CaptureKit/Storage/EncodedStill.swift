// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A picture that is encoded, and has its name and number, but is on no disk yet.
struct EncodedStill: Sendable {
    /// Its record; the time that storing takes is not known yet.
    private(set) var still: Still
    /// The file.
    let bytes: [UInt8]
    /// What describes it in a side file; `nil` for pictures that say themselves what they are.
    let description: [UInt8]?
    /// Where it belongs.
    private(set) var path: String
    /// When it was encoded.
    let encoded: ClockTime

    /// The memory that it takes.
    var byteCount: Int { bytes.count + (description?.count ?? 0) }

    /// The path of the side file.
    static func sidePath(of path: String) -> String { path + ".json" }
}

extension EncodedStill {
    private static let mostNames = 9999

    /// The same picture by a name that nothing has yet: its own, or else that with a number behind, `120000-2.jpg`.
    ///
    /// A name by time comes twice where a clock is set back or summer time ends, and where a late picture and the next one
    /// are of the same second.
    var withFreeName: EncodedStill {
        guard isTaken(path) else { return self }
        let (stem, ending) = Self.parts(of: path)
        guard let free = (2...Self.mostNames).lazy.map({ "\(stem)-\($0)\(ending)" }).first(where: { !isTaken($0) })
        else { return self }
        var picture = self
        (picture.path, picture.still.path) = (free, free)
        return picture
    }

    private func isTaken(_ path: String) -> Bool {
        DeviceFiles.exists(path) || description != nil && DeviceFiles.exists(Self.sidePath(of: path))
    }

    /// A name that begins with a dot has no ending by that.
    private static func parts(of path: String) -> (stem: Substring, ending: Substring) {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path.lastIndex(of: "."), dot > name else { return (path[...], "") }
        return (path[..<dot], path[dot...])
    }
}
