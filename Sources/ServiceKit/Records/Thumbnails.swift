// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import StillKit

/// Makes small pictures, one at a time, and keeps the last ones in memory.
public actor Thumbnails {
    /// The maximum width of a small picture, in pixels.
    public static let width = 320
    /// The maximum total size of the pictures that are kept, in bytes.
    private static let mostBytes = 16 << 20
    /// The maximum size of a file that is decoded, in bytes.
    private static let mostFileBytes = 256 << 20

    private var kept: [String: [UInt8]] = [:]
    /// The keys of ``kept``, the last used one at the end.
    private var order: [String] = []
    private var byteCount = 0
    /// The last picture that is being made. Each waits for the one before, so that memory has room for one.
    private var making: [String: Task<Result<[UInt8], CaptureError>, Never>] = [:]
    private var last: Task<Result<[UInt8], CaptureError>, Never>?

    /// Creates an empty cache.
    public init() {}

    /// Returns a picture as a JPEG of up to ``width`` pixels.
    ///
    /// - Throws: `CaptureError` `.noInput` if the file is gone, and others if it is damaged.
    public func thumbnail(of still: StillRecord) async throws(CaptureError) -> [UInt8] {
        let key = still.tag
        if let bytes = kept[key] {
            order.removeAll { $0 == key }
            order.append(key)
            return bytes
        }
        let previous = last
        let task =
            making[key]
            ?? Task {
                _ = await previous?.value
                return await Self.make(still)
            }
        (making[key], last) = (task, task)
        let result = await task.value
        if making.removeValue(forKey: key) != nil, case .success(let bytes) = result { keep(bytes, key) }
        return try result.get()
    }

    private func keep(_ bytes: [UInt8], _ key: String) {
        kept[key] = bytes
        order.append(key)
        byteCount += bytes.count
        while byteCount > Self.mostBytes, let oldest = order.first {
            order.removeFirst()
            byteCount -= kept.removeValue(forKey: oldest)?.count ?? 0
        }
    }

    private static func make(_ still: StillRecord) async -> Result<[UInt8], CaptureError> {
        do throws(CaptureError) {
            let (bytes, format) = try await BlockingWork.run { () throws(CaptureError) in
                (try still.contents(most: mostFileBytes), still.format)
            }
            guard format == .jpeg || format == .png else {
                throw CaptureError(.noInput, "only JPEG and PNG pictures have thumbnails", subject: "\(still.id)")
            }
            return .success(try await StillCoding.thumbnail(of: bytes, format, width: width))
        } catch {
            return .failure(error)
        }
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
