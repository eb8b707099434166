// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import StillKit

/// Makes small pictures, one at a time, and keeps the last ones in memory.
public struct Thumbnails: Sendable {
    /// The maximum width of a small picture, in pixels.
    public static let width = 320
    /// The maximum size of a file that is decoded, in bytes.
    private static let mostFileBytes = 256 << 20

    private let cache = PictureCache()

    /// Creates an empty cache.
    public init() {}

    /// Returns a picture as a JPEG of up to ``width`` pixels.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file is gone, `.temporary` if too many pictures are pending or the
    ///   task is canceled, and others if the file is damaged.
    public func thumbnail(of still: StillRecord) async throws(CaptureError) -> [UInt8] {
        try await cache.picture(still.tag) { () throws(CaptureError) in try await Self.small(still) }
    }

    private static func small(_ still: StillRecord) async throws(CaptureError) -> [UInt8] {
        let (bytes, format) = try await BlockingWork.run { () throws(CaptureError) in
            (try still.contents(most: mostFileBytes), still.format)
        }
        guard format == .jpeg || format == .png else {
            throw CaptureError(.noInput, "only JPEG and PNG pictures have thumbnails", subject: "\(still.id)")
        }
        return try await StillCoding.thumbnail(of: bytes, format, width: width)
    }
}

extension StillRecord {
    /// Identifies the content of the picture.
    public var tag: String { still.sha256 ?? "\(id)-\(still.byteCount)" }

    var format: StillFormat { still.file.flatMap(StillFormat.init(fileName:)) ?? .raw }

    /// Returns the bytes of the file. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if it cannot be read, or is larger than `most` bytes.
    package func contents(most: Int) throws(CaptureError) -> [UInt8] {
        guard let bytes = try? open().bytes(most: most + 1), bytes.count <= most else {
            throw CaptureError(.noInput, "the file of the picture cannot be read", subject: "\(id)")
        }
        return bytes
    }

    /// Returns the EXIF tags of the file as an object: empty if it has none. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file cannot be read.
    package func exif() throws(CaptureError) -> JSONValue {
        // The tags are at the beginning of a JPEG, and anywhere in a PNG.
        let block = ExifBlock(ofFile: try contents(most: 256 << 20), format)
        return .object((block?.values ?? []).map { JSONValue.Member(name: $0.name, value: Self.json($0.value)) })
    }

    private static func json(_ value: ExifBlock.Value) -> JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        }
    }
}
