// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The name of a session's file, from its stage, its number and its kind, such as `front-001.jpg`, `front-001-crop.jpg`
/// or `front-001-left.jpg`.
package struct SessionFileName: Hashable, Sendable {
    /// The kind of a file of a picture.
    package enum Kind: Hashable, Sendable {
        /// The whole picture.
        case whole
        case crop
        /// The picture of a further camera.
        case view(CameraRole)
    }

    let stage: String
    let number: Int
    let kind: Kind
    let format: StillFormat

    /// Creates a name.
    package init(_ stage: String, _ number: Int, _ format: StillFormat, _ kind: Kind = .whole) {
        (self.stage, self.number, self.format, self.kind) = (stage, number, format, kind)
    }

    /// Parses a name; returns `nil` if it is not the name of a picture of these stages.
    ///
    /// - Parameter roles: The roles of further cameras: a user's file `front-001-old.jpg` is no picture of the session.
    ///
    /// A name with a slash would lead out of the folder, and C would end a name at a NUL: the stages of a damaged
    /// record can have names that contain either.
    init?(_ text: String, of stages: [String], roles: Set<CameraRole> = []) {
        guard !text.utf8.contains(UInt8(ascii: "/")), !text.utf8.contains(0) else { return nil }
        guard let format = StillFormat(fileName: text), text.hasSuffix("." + format.fileExtension) else { return nil }
        var parts = text.dropLast(format.fileExtension.utf8.count + 1)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard let last = parts.last else { return nil }
        // A role never begins with a digit, so that it is not taken for a number.
        let kind = Int(last) == nil ? Kind(mark: String(last)) : .whole
        if kind != .whole { parts.removeLast() }
        guard let kind, let digits = parts.popLast(), let number = Int(digits), number >= 1 else { return nil }
        self.init(parts.joined(separator: "-"), number, format, kind)
        if case .view(let role) = kind, !roles.contains(role) { return nil }
        guard stages.contains(stage), self.text == text else { return nil }
    }

    /// The name as text.
    package var text: String { "\(stage)-\(number.padded(to: 3))\(kind.mark).\(format.fileExtension)" }
}

extension SessionFileName {
    /// The stages of a session, and the roles of its further cameras: the parts of its file names.
    package struct Stages: Sendable {
        let names: [String]
        let roles: Set<CameraRole>

        package init(names: [String], roles: Set<CameraRole>) { (self.names, self.roles) = (names, roles) }

        package init(_ stages: [SessionStage]) {
            self.init(names: stages.map(\.name), roles: Set(stages.flatMap(\.besides)))
        }

        /// Returns `true` for the name of a picture, a crop or a view of these stages.
        package func havePicture(named name: String) -> Bool { SessionFileName(name, of: names, roles: roles) != nil }
    }
}

extension SessionFileName.Kind {
    private static let cropMark = "crop"

    /// Creates the kind of a name that ends in a word; `nil` if no name does.
    fileprivate init?(mark: String) {
        if mark == Self.cropMark {
            self = .crop
        } else if let role = CameraRole(rawValue: mark) {
            self = .view(role)
        } else {
            return nil
        }
    }

    /// The end of the name, before the extension.
    fileprivate var mark: String {
        switch self {
        case .whole: ""
        case .crop: "-" + Self.cropMark
        case .view(let role): "-" + role.rawValue
        }
    }
}
