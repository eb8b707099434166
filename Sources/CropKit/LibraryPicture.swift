// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit

/// A picture from an existing JPEG or PNG file.
///
///     for path in try LibraryPicture.album("holiday") {
///         let picture = try LibraryPicture(path: path)
///         let crop = try await cropper.crop(picture.bytes, picture.format, to: request)
///     }
///
/// All calls read files and block: make them on a thread that may block.
public struct LibraryPicture: Sendable {
    /// The path of the file; `nil` for a picture in memory only.
    public let path: String?
    /// The content of the file.
    public let bytes: [UInt8]
    /// The format, by the file's first bytes; its name may claim another.
    public let format: StillFormat
    /// The size in pixels as a viewer shows the picture, turned upright by its tags.
    public let width: Int, height: Int

    /// The largest file that is read, in bytes.
    static let mostBytes = 256 << 20

    /// Reads a file without decoding its pixels.
    ///
    /// - Throws: `CaptureError` with the path: `.noInput` if it is no regular file, or holds no JPEG or PNG picture
    ///   of a size that can be cropped; `.inputOutput` if the file is damaged or cannot be read; `.permission`.
    public init(path: String) throws(CaptureError) {
        do throws(CaptureError) {
            try self.init(path: path, bytes: try RegularFile.read(path, most: Self.mostBytes + 1))
        } catch {
            throw error.ofStill(at: path)
        }
    }

    /// Reads a picture in memory without decoding its pixels.
    ///
    /// - Throws: `CaptureError` `.noInput` if it is no JPEG or PNG picture of a size that can be cropped;
    ///   `.inputOutput` if it is damaged.
    public init(bytes: [UInt8]) throws(CaptureError) { try self.init(path: nil, bytes: bytes) }

    private init(path: String?, bytes: [UInt8]) throws(CaptureError) {
        (self.path, self.bytes) = (path, bytes)
        format = try Self.format(of: bytes)
        let size = try StillCoding.size(of: bytes, format)
        let isTurned = ExifBlock(ofFile: bytes, format)?.orientation.swapsAxes ?? false
        (width, height) = isTurned ? (size.height, size.width) : size
    }

    /// Checks that a picture in memory can be decoded completely, without keeping its pixels.
    ///
    /// - Throws: As ``init(bytes:)``; `.inputOutput` also if a part of the picture is damaged, `.temporary` if too many
    ///   pictures are being decoded.
    package static func check(_ bytes: [UInt8]) async throws(CaptureError) {
        let picture = try await BlockingWork.run { () throws(CaptureError) in try LibraryPicture(bytes: bytes) }
        try await StillCoding.check(bytes, picture.format)
    }

    /// Returns the bytes of a picture without its position.
    ///
    /// - Throws: As ``init(bytes:)``.
    package static func withoutLocation(_ bytes: [UInt8]) async throws(CaptureError) -> [UInt8] {
        try await BlockingWork.run { () throws(CaptureError) in
            try PictureLocation.removed(from: bytes, try format(of: bytes))
        }
    }

    /// Creates a picture in memory, of the size that a viewer shows.
    package init(bytes: [UInt8], format: StillFormat, width: Int, height: Int) {
        path = nil
        (self.bytes, self.format, self.width, self.height) = (bytes, format, width, height)
    }

    /// Checks that a path leads to a regular file that can be read, without reading its content.
    ///
    /// - Throws: `CaptureError` with the path: `.noInput` or `.permission`.
    public static func check(_ path: String) throws(CaptureError) { try RegularFile.check(path) }

    /// Returns `true` for a folder, or a link to one (`stat(2)`).
    public static func isAlbum(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the paths of the pictures in a folder: files with a JPEG or PNG extension, sorted by name.
    ///
    /// - Throws: `CaptureError` with the folder if it cannot be read or holds no picture.
    public static func album(_ folder: String) throws(CaptureError) -> [String] {
        let shown = RegularFile.display(folder)
        guard access(folder, R_OK | X_OK) == 0 else {
            let code: CaptureError.Code = errno == EACCES ? .permission : .noInput
            throw CaptureError(code, CaptureError.systemMessage(errno), subject: shown)
        }
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        let pictures = DeviceFiles.names(in: folder).sorted().filter { name in
            guard !name.hasPrefix("."), let format = StillFormat(fileName: name) else { return false }
            return (format == .jpeg || format == .png) && RegularFile.isRegular(base + name)
        }
        guard !pictures.isEmpty else {
            throw CaptureError(
                .noInput, "holds no pictures", subject: shown, advice: "give a folder of JPEG or PNG files")
        }
        return pictures.map { base + $0 }
    }

    private static func format(of bytes: [UInt8]) throws(CaptureError) -> StillFormat {
        let still = StillCropper.stillSubject
        guard bytes.count <= mostBytes else {
            throw CaptureError(.noInput, "is larger than \(mostBytes >> 20) MiB", subject: still)
        }
        if bytes.starts(with: [0xFF, 0xD8]) { return .jpeg }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return .png }
        let what = bytes.isEmpty ? "is empty" : "is neither a JPEG nor a PNG"
        throw CaptureError(.noInput, what, subject: still, advice: "give a JPEG or PNG file")
    }
}

extension CaptureError {
    /// Returns the same error with the still's file as its subject. If the error is about an outline or an option, the
    /// message keeps that subject.
    public func ofStill(at path: String) -> CaptureError {
        let shown = RegularFile.display(path)
        let isOwn = subject == nil || subject == StillCropper.stillSubject || subject == shown
        return CaptureError(
            code, isOwn ? message : summary, subject: shown, advice: advice, systemError: systemError)
    }
}
