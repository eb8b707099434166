// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import LedgerKit
import SystemBase

/// A picture of an account that can be sent. A clip is a picture here, too.
package struct UploadPicture: Sendable, Hashable {
    /// The number of its line in the account.
    package var line: Int
    /// The absolute path of its file.
    package var path: String
    package var byteCount: Int
    /// 64 hexadecimal digits; empty for a clip whose hash is not computed yet.
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
            "id": id,
        ]
    }

    private var id: String {
        if !run.isEmpty { return "\(board).\(run)-\(fileName)" }
        // A series and clips can have the same name.
        return "\(board).\(series)-\(fileExtension.lowercased() == "mp4" ? "clip-" : "")\(line)"
    }

    /// `true` if the hash is known.
    var isHashed: Bool { !sha256.isEmpty }

    /// Computes the hash of a file whose account has none, on a thread that may block.
    ///
    /// - Parameter folder: The folder of the account, out of which no link leads.
    /// - Throws: `TransferFault` if the file is gone or has another size than its account says.
    func digest(below folder: String) async throws(TransferFault) -> String {
        try await Cancellation.run { cancellation throws(TransferFault) in try digest(below: folder, cancellation) }
    }

    private func digest(below folder: String, _ cancellation: Cancellation) throws(TransferFault) -> String {
        let file: RegularFile
        do throws(RegularFile.Failure) {
            file = try OpenFolder(folder).file(String(path.dropFirst(LedgerPlace.folder(folder).count)))
        } catch {
            throw TransferFault(error)
        }
        guard Int(file.status.st_size) == byteCount else {
            throw .changed("the file has another size than its account")
        }
        do throws(CaptureError) {
            return try FileDigest(file, path, most: byteCount) { cancellation.isCanceled }.sha256
        } catch {
            try cancellation.check()
            throw .changed("the file cannot be read: \(error.summary)")
        }
    }

    /// A picture for checks of templates.
    static var sample: UploadPicture {
        UploadPicture(
            line: 1, path: "/a/d.jpg", byteCount: 1, sha256: String(repeating: "0", count: 64),
            taken: WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0))
    }
}

extension TransferFault {
    /// Creates the fault of a file that cannot be opened.
    fileprivate init(_ failure: RegularFile.Failure) {
        self =
            switch failure {
            case .notOpened(ENOENT), .notOpened(ENOTDIR): .gone("the file is gone")
            case .notOpened(EXDEV), .notOpened(ELOOP): .changed("a link leads out of the folder")
            case .notOpened(EMFILE), .notOpened(ENFILE), .notOpened(ENOMEM):
                .unreachable("this machine cannot open more files", pause: nil)
            case .notOpened(let number), .notRead(let number):
                .changed("the file cannot be read: \(CaptureError.systemMessage(number))")
            case .containsNUL, .isFolder, .isNotRegular: .changed("the path no longer leads to a file")
            }
    }
}
