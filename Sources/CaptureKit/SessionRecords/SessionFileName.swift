// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The name of a session's file: its stage, its number and what it is, such as `front-001.jpg` or `front-001-crop.jpg`.
struct SessionFileName: Hashable {
    let stage: String
    let number: Int
    /// True for what was cut out of the picture of this number.
    let isCrop: Bool
    let format: StillFormat

    /// Names a file.
    init(_ stage: String, _ number: Int, _ format: StillFormat, isCrop: Bool = false) {
        (self.stage, self.number, self.format, self.isCrop) = (stage, number, format, isCrop)
    }

    /// Reads a name; `nil` where it is none of a session with these stages.
    init?(_ text: String, of stages: [String]) {
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
