// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

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

    /// The picture's record; its storing time is set later. Its number changes with the path.
    private(set) var still: Still
    /// The content of the file.
    let bytes: [UInt8]
    /// The content of the side file, which describes the picture; `nil` for formats that describe themselves.
    let description: [UInt8]?
    /// The path of the file, which changes if the wanted name is taken.
    private(set) var path: String
    /// The names that the file may have.
    private let name: StillName
    /// The number that belongs to the wanted name.
    private let wantedSequence: Int
    /// When the picture was encoded.
    let encoded: ClockTime
    /// The result of the attempts so far to store the picture.
    var placement = Placement.notTried

    init(still: Still, bytes: [UInt8], description: [UInt8]?, name: StillName, encoded: ClockTime) {
        (self.still, self.bytes, self.description, self.encoded) = (still, bytes, description, encoded)
        (path, self.name, wantedSequence) = (name.path, name, still.sequence)
        self.still.path = path
    }

    /// The memory that the picture occupies, in bytes.
    var byteCount: Int { bytes.count + (description?.count ?? 0) }

    /// Gives the picture a name that no file has, and the number that belongs to it.
    mutating func rename(with names: inout FreeNames) {
        let hasSideFile = description != nil
        let attempt = names.attempt(for: name) { StillName.isTaken($0, withSideFile: hasSideFile) }
        path = name.path(attempt)
        still.path = path
        still.sequence = wantedSequence + name.step(attempt)
    }
}
