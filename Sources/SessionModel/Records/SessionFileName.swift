// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The name of a session's file, from its stage, its number and its kind, such as `front-001.jpg`,
/// `front-001-crop.jpg`, `front-001-left.jpg` or `hello-002.mp4`.
package struct SessionFileName: Hashable, Sendable {
    /// The kind of a file of a picture.
    package enum Kind: Hashable, Sendable {
        /// The whole picture, or the first picture of a clip.
        case whole
        /// A clip.
        case clip
        case crop
        /// The picture of a further camera.
        case view(CameraRole)
    }

    let stage: String
    let number: Int
    let kind: Kind
    private let fileExtension: String

    private static let clipExtension = "mp4"

    /// Creates the name of a picture.
    package init(_ stage: String, _ number: Int, _ format: StillFormat, _ kind: Kind = .whole) {
        self.init(stage, number, kind, format.fileExtension)
    }

    /// Creates the name of a clip.
    package init(clip number: Int, of stage: String) { self.init(stage, number, .clip, Self.clipExtension) }

    private init(_ stage: String, _ number: Int, _ kind: Kind, _ fileExtension: String) {
        (self.stage, self.number, self.kind, self.fileExtension) = (stage, number, kind, fileExtension)
    }

    /// Parses a name; returns `nil` if it is not the name of a picture of these stages.
    ///
    /// - Parameter roles: The roles of further cameras: a user's file `front-001-old.jpg` is no picture of the session.
    ///
    /// A name with a slash would lead out of the folder, and C would end a name at a NUL: the stages of a damaged
    /// record can have names that contain either.
    init?(_ text: String, of stages: [String], roles: Set<CameraRole> = []) {
        guard !text.utf8.contains(UInt8(ascii: "/")), !text.utf8.contains(0) else { return nil }
        let isClip = text.hasSuffix("." + Self.clipExtension)
        let known = isClip ? Self.clipExtension : StillFormat(fileName: text)?.fileExtension
        guard let fileExtension = known, text.hasSuffix("." + fileExtension) else { return nil }
        var parts = text.dropLast(fileExtension.utf8.count + 1)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard let last = parts.last else { return nil }
        // A role never begins with a digit, so that it is not taken for a number.
        let kind = Int(last) == nil ? Kind(mark: String(last)) : isClip ? .clip : .whole
        guard let kind, (kind == .clip) == isClip else { return nil }
        if Int(last) == nil { parts.removeLast() }
        guard let digits = parts.popLast(), let number = Int(digits), number >= 1 else { return nil }
        self.init(parts.joined(separator: "-"), number, kind, fileExtension)
        if case .view(let role) = kind, !roles.contains(role) { return nil }
        guard stages.contains(stage), self.text == text else { return nil }
    }

    /// The name as text.
    package var text: String { "\(stage)-\(number.padded(to: 3))\(kind.mark).\(fileExtension)" }
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

        /// Returns `true` for the name of a picture, a crop, a view or a clip of these stages.
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
        case .whole, .clip: ""
        case .crop: "-" + Self.cropMark
        case .view(let role): "-" + role.rawValue
        }
    }
}
