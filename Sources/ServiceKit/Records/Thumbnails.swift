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

    /// The number of pictures that are made or wait for it.
    package var pendingCount: Int { get async { await cache.pendingCount } }

    /// Returns a picture as a JPEG of up to ``width`` pixels.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file is gone, `.temporary` if too many pictures are pending or the
    ///   task is canceled, and others if the file is damaged.
    public func thumbnail(of still: StillRecord) async throws(CaptureError) -> [UInt8] {
        try await thumbnail(of: "\(still.id)", tag: still.tag, still.format) { () throws(CaptureError) in
            try still.open()
        }
    }

    /// Returns a picture as a JPEG.
    ///
    /// - Parameters:
    ///   - id: The name of the picture for clients.
    ///   - tag: Identifies the content of the picture.
    ///   - width: The maximum width, in pixels.
    ///   - open: Opens the file. Blocks.
    /// - Throws: As ``thumbnail(of:)``.
    package func thumbnail(
        of id: String, tag: String, _ format: StillFormat, width: Int = width,
        open: @escaping @Sendable () throws(CaptureError) -> RegularFile
    ) async throws(CaptureError) -> [UInt8] {
        try await picture("\(tag)-\(width)") { () throws(CaptureError) in
            let bytes = try await BlockingWork.run { () throws(CaptureError) in
                try Self.contents(of: open(), id, most: Self.mostFileBytes)
            }
            guard format == .jpeg || format == .png else {
                throw CaptureError(.noInput, "only JPEG and PNG pictures have thumbnails", subject: id)
            }
            return try await StillCoding.thumbnail(of: bytes, format, width: width)
        }
    }

    /// Returns a small picture, which is made once.
    ///
    /// - Parameter key: Identifies its content.
    func picture(
        _ key: String, make: @escaping @Sendable () async throws(CaptureError) -> [UInt8]
    ) async throws(CaptureError) -> [UInt8] {
        try await cache.picture(key, make: make)
    }

    /// Returns the bytes of a file. Blocks.
    fileprivate static func contents(
        of file: consuming RegularFile, _ id: String, most: Int
    ) throws(CaptureError) -> [UInt8] {
        guard let bytes = try? file.bytes(most: most + 1), bytes.count <= most else {
            throw CaptureError(.noInput, "the file of the picture cannot be read", subject: id)
        }
        return bytes
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
        try Thumbnails.contents(of: open(), "\(id)", most: most)
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
