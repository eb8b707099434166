// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

/// A named thing with fields, and pictures of its sides.
public struct Record: Sendable, Hashable, Identifiable {
    /// Its ID.
    public let id: RecordID
    /// The ID of its kind.
    public let kind: String
    /// Its values and pictures.
    public var content: RecordContent
    /// The number of the version, from 1. Each change makes the next one.
    public var revision: Int
    /// `true` if it is in the trash.
    public var isTrashed = false
    /// The time of the last change.
    public var changed: WallTime
    /// The name of the token that changed it last; `nil` for the command, and for a backend.
    public var actor: String?

    /// Creates a record.
    public init(id: RecordID, kind: String, content: RecordContent, revision: Int, changed: WallTime) {
        (self.id, self.kind, self.content, self.revision, self.changed) = (id, kind, content, revision, changed)
    }
}

/// The values and the pictures of a record.
public struct RecordContent: Sendable, Hashable {
    /// The values by the names of their fields, without empty ones.
    public var values: [String: String] = [:]
    /// The pictures by the names of their sides.
    public var sides: [String: RecordPicture] = [:]

    /// Creates a content.
    public init(values: [String: String] = [:], sides: [String: RecordPicture] = [:]) {
        (self.values, self.sides) = (values, sides)
    }
}

/// The picture of a side.
public struct RecordPicture: Sendable, Hashable {
    /// The file of the picture.
    public var file: RecordBlob
    /// The whole picture from which the file was cropped; `nil` if the file is whole.
    public var origin: Origin?

    /// Creates a picture.
    public init(_ file: RecordBlob, origin: Origin? = nil) { (self.file, self.origin) = (file, origin) }

    /// A whole picture, and where the crop lies in it.
    public struct Origin: Sendable, Hashable {
        /// The file of the whole picture.
        public var file: RecordBlob
        /// The name of the outline.
        public var outline: String
        /// The movement of the picture under the outline.
        public var adjustment: CropAdjustment

        /// Creates an origin. The adjustment is rounded to three decimal places, as files have it.
        public init(_ file: RecordBlob, outline: String, adjustment: CropAdjustment) {
            let round = { (value: Double) in (value * 1000).rounded() / 1000 }
            self.adjustment = CropAdjustment(
                moveX: round(adjustment.moveX), moveY: round(adjustment.moveY), zoom: round(adjustment.zoom),
                turn: round(adjustment.turn))
            (self.file, self.outline) = (file, outline)
        }
    }
}

/// A file of a record, a JPEG. Its name is its hash, so it never changes.
public struct RecordBlob: Sendable, Hashable {
    /// The SHA-256 of the file, as 64 digits in lower case.
    public let sha256: String
    /// Its size in bytes.
    public let byteCount: Int
    /// The size of the picture, in pixels, as a viewer shows it.
    public let width: Int, height: Int

    /// Creates a blob; `nil` if the hash or a size is impossible.
    public init?(sha256: String, byteCount: Int, width: Int, height: Int) {
        let isHash =
            sha256.utf8.count == 64
            && sha256.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
        let sizes = 1...(1 << 16)
        guard isHash, (1...(1 << 30)).contains(byteCount), sizes.contains(width), sizes.contains(height) else {
            return nil
        }
        (self.sha256, self.byteCount, self.width, self.height) = (sha256, byteCount, width, height)
    }
}
