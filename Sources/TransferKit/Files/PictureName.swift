// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// The name of a picture at a target: a relative path that is safe in addresses, in signatures and in commands.
struct PictureName {
    let text: String
    /// The names of its folders, from the outermost.
    let folders: [String]
    /// The name without folders.
    let file: String

    /// - Throws: ``TransferFault/refused(_:)`` if the name has other characters than ASCII letters, digits, `-`, `_`,
    ///   `.` and `/`, or a part that is empty, `.` or `..`.
    init(_ text: String) throws(TransferFault) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isSafe = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: ".") }
        }
        guard isSafe, let file = parts.last else { throw .refused("the name is not a path of letters and digits") }
        (self.text, self.file, folders) = (text, file, parts.dropLast())
    }

    /// The name under which a picture is stored until it is complete. It has digits of the hash: two senders of
    /// different pictures do not write into the same file, and a resumed upload continues its own. Nextcloud refuses
    /// the ending `.part`.
    func part(_ sha256: String) -> String {
        (folders + [".\(file).\(sha256.prefix(8)).upload"]).joined(separator: "/")
    }

    /// The media type by the ending of the name.
    var mediaType: String {
        switch file.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "tif", "tiff": "image/tiff"
        case "mp4": "video/mp4"
        default: "application/octet-stream"
        }
    }
}
#endif
