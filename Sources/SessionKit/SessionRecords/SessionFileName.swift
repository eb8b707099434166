// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The name of a session's file, from its stage, its number and its kind, such as `front-001.jpg` or
/// `front-001-crop.jpg`.
struct SessionFileName: Hashable {
    let stage: String
    let number: Int
    /// `true` for the crop of the picture with this number.
    let isCrop: Bool
    let format: StillFormat

    /// Creates a name.
    init(_ stage: String, _ number: Int, _ format: StillFormat, isCrop: Bool = false) {
        (self.stage, self.number, self.format, self.isCrop) = (stage, number, format, isCrop)
    }

    /// Parses a name; returns `nil` if it is not the name of a picture or a crop of these stages.
    ///
    /// A name with a slash would lead out of the folder, and C would end a name at a NUL: the stages of a damaged
    /// record can have names that contain either.
    init?(_ text: String, of stages: [String]) {
        guard !text.utf8.contains(UInt8(ascii: "/")), !text.utf8.contains(0) else { return nil }
        guard let format = StillFormat(fileName: text), text.hasSuffix("." + format.fileExtension) else { return nil }
        var name = text.dropLast(format.fileExtension.utf8.count + 1)
        let isCrop = name.hasSuffix(Self.cropMark)
        if isCrop { name = name.dropLast(Self.cropMark.utf8.count) }
        guard let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]), number >= 1 else {
            return nil
        }
        self.init(String(name[..<dash]), number, format, isCrop: isCrop)
        guard stages.contains(stage), self.text == text else { return nil }
    }

    /// The name as text.
    var text: String {
        "\(stage)-\(number.padded(to: 3))\(isCrop ? Self.cropMark : "").\(format.fileExtension)"
    }

    private static let cropMark = "-crop"
}
