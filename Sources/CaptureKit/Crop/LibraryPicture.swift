// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A picture that was there before: a JPEG or PNG file, brought in instead of taken.
///
///     for path in try LibraryPicture.album("holiday") {
///         let picture = try LibraryPicture(path: path)
///         let crop = try await cropper.crop(picture.bytes, picture.format, to: request)
///     }
///
/// Reading blocks: do it on a thread where that is allowed.
public struct LibraryPicture: Sendable {
    /// Where it is; `nil` for one that is in memory alone.
    public let path: String?
    /// The file.
    public let bytes: [UInt8]
    /// What the file is, by its first bytes; its name may say something else.
    public let format: StillFormat
    /// Pixels in a row and rows, as it is shown: turned upright by its tags.
    public let width: Int, height: Int

    /// Larger files are not read.
    static let mostBytes = 256 << 20

    /// Reads a file. Its pixels are not decoded yet.
    ///
    /// - Throws: ``CaptureError`` with the path: `.noInput` where there is no regular file, or none that holds such a
    ///   picture of a size that is cropped; `.inputOutput` where it is damaged or cannot be read; `.permission`.
    public init(path: String) throws(CaptureError) {
        self.path = path
        do throws(CaptureError) {
            bytes = try RegularFile.read(path, most: Self.mostBytes + 1)
            format = try Self.format(of: bytes)
            let size = try StillCoding.size(of: bytes, format)
            let isTurned = ExifBlock(ofFile: bytes, format)?.orientation.swapsAxes ?? false
            (width, height) = isTurned ? (size.height, size.width) : size
        } catch {
            throw error.ofStill(at: path)
        }
    }

    /// A picture in memory, of the size that it is shown in.
    init(bytes: [UInt8], format: StillFormat, width: Int, height: Int) {
        path = nil
        (self.bytes, self.format, self.width, self.height) = (bytes, format, width, height)
    }

    /// Finds out whether there is a file that can be read; what is in it, only reading it tells.
    ///
    /// - Throws: ``CaptureError`` with the path: `.noInput` or `.permission`.
    public static func check(_ path: String) throws(CaptureError) { try RegularFile.check(path) }

    /// True for a folder, or a link to one (`stat(2)`).
    public static func isAlbum(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The pictures in a folder: files whose names end as those of JPEG and PNG do, in the order of their names.
    ///
    /// - Throws: ``CaptureError`` with the folder: where it cannot be read, or holds no picture.
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
    /// The same error, about the file that the still is: what is about an outline or an option stays in its words.
    public func ofStill(at path: String) -> CaptureError {
        let shown = RegularFile.display(path)
        let isOwn = subject == nil || subject == StillCropper.stillSubject || subject == shown
        return CaptureError(
            code, isOwn ? message : summary, subject: shown, advice: advice, systemError: systemError)
    }
}
