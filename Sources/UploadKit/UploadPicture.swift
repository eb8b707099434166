// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A picture of an account that can be sent.
package struct UploadPicture: Sendable, Hashable {
    /// The number of its line in the account.
    package var line: Int
    /// The absolute path of its file.
    package var path: String
    package var byteCount: Int
    /// 64 hexadecimal digits.
    package var sha256: String
    package var taken: WallTime
    package var board = ""
    package var series = ""
    package var camera = ""
    /// The name of the folder of a session's run; empty for a series.
    package var run = ""
    /// The stage of a session; empty for a series.
    package var stage = ""
    /// `true` if the picture has to be erased at the end of a consent.
    package var isLent = false
    /// `true` if the account has the hash. Without its hash, a picture that is gone cannot be named again.
    package var isHashRecorded = true

    package init(line: Int, path: String, byteCount: Int, sha256: String, taken: WallTime) {
        (self.line, self.path, self.byteCount, self.sha256, self.taken) = (line, path, byteCount, sha256, taken)
    }

    /// The name of the file without its extension.
    var baseName: String { String(fileName[..<dot]) }

    /// The extension of the file, without a dot.
    var fileExtension: String { String(fileName[dot...].dropFirst()) }

    private var fileName: String { DeviceFiles.name(of: path) }
    private var dot: String.Index { fileName.lastIndex(of: ".") ?? fileName.endIndex }

    /// The picture with the name of a JPEG.
    var asJPEG: UploadPicture {
        var picture = self
        picture.path = String(path.dropLast(fileExtension.count)) + "jpg"
        return picture
    }

    /// The values for templates of requests.
    var values: [String: String] {
        [
            "board": board, "series": series, "camera": camera, "file": fileName, "sha256": sha256,
            "taken": taken.iso8601, "bytes": "\(byteCount)", "run": run, "stage": stage,
            "id": run.isEmpty ? "\(board).\(series)-\(line)" : "\(board).\(run)-\(fileName)",
        ]
    }

    /// A picture for checks of templates.
    static var sample: UploadPicture {
        UploadPicture(
            line: 1, path: "/a/d.jpg", byteCount: 1, sha256: String(repeating: "0", count: 64),
            taken: WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0))
    }
}
