// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import StillKit

/// The file `album.yaml`, which makes its folder an album: its pictures are those in the folder, in the order of their
/// names.
///
/// Every call blocks.
struct AlbumFile: Sendable, Hashable {
    /// The ID, which stays when the album gets another title or folder: 8 hexadecimal digits.
    let id: String
    /// The title.
    var title: String
    /// The name of the file that is shown for the album; `nil` for the first one.
    var cover: String?

    static let name = "album.yaml"
    private static let mostBytes = 1 << 16
    /// The maximum length of a title, in bytes.
    static let mostTitleBytes = 200

    init(id: String, title: String) { (self.id, self.title) = (id, title) }

    /// Reads the file of a folder; `nil` if the folder is no album.
    ///
    /// - Throws: `CaptureError` if the file is damaged.
    init?(in folder: String) throws(CaptureError) {
        let path = folder + "/" + Self.name
        guard DeviceFiles.exists(path) else { return nil }
        let bytes = try RegularFile.read(path, most: Self.mostBytes)
        let node = try JSONNode(String(decoding: bytes, as: UTF8.self), path: path, levels: 2, mostValues: 100)
        (id, title) = (try node.text("id"), try node.text("title"))
        cover = try node.optionalText("cover")
        guard Self.isID(id), Self.isTitle(title) else {
            throw CaptureError(
                .configuration, "has no sound ID or title", subject: path,
                advice: "give it the lines id: 3f9a01bc and title: Summer")
        }
    }

    /// Writes the file of a folder, durably.
    func write(in folder: String) throws(CaptureError) {
        var lines = ["# An album of gst-capture: its pictures are those in this folder.", "id: \"\(id)\""]
        lines.append("title: " + JSONValue.string(title).text)
        if let cover { lines.append("cover: " + JSONValue.string(cover).text) }
        try StillStore(overwrites: true, latest: nil).write(
            Array((lines.joined(separator: "\n") + "\n").utf8), to: folder + "/" + Self.name)
    }

    /// `true` if a folder is an album, sound or damaged.
    static func isAlbum(_ folder: String) -> Bool { DeviceFiles.exists(folder + "/" + name) }

    /// Returns a new ID.
    static func newID() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    static func isID(_ text: String) -> Bool {
        text.utf8.count == 8 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    static func isTitle(_ text: String) -> Bool {
        (1...mostTitleBytes).contains(text.utf8.count) && text == text.withoutControls
            && text.contains { !$0.isWhitespace }
    }
}
#endif
