// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// The name of a camera in a session. The caller that runs the session assigns cameras to roles.
///
/// A role is a letter, followed by up to 31 letters, digits and `_`. It is part of file names.
public struct CameraRole: RawRepresentable, Sendable, Hashable {
    /// The name.
    public let rawValue: String

    /// The camera faces the viewer of the screen.
    public static let front = CameraRole(known: "front")
    /// The camera faces away from the screen.
    public static let back = CameraRole(known: "back")

    /// Creates a role; `nil` if the name is not allowed, or has another meaning in a session's file.
    public init?(rawValue: String) {
        let isName =
            (1...32).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { $0.isWordCharacter && $0 != UInt8(ascii: "-") }
        guard isName, rawValue.utf8.first?.isDigit == false, !rawValue.hasPrefix("_") else { return nil }
        guard !["any", "none", "crop"].contains(rawValue.lowercased()) else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) { self.rawValue = rawValue }
}

extension CameraRole: Comparable {
    /// Front comes first, then back, then the others by name.
    public static func < (one: CameraRole, other: CameraRole) -> Bool { one.rank < other.rank }

    private var rank: (Int, String) { (self == .front ? 0 : self == .back ? 1 : 2, rawValue) }

    /// `true` for `front` and `back`, which a single camera plays both.
    var isSide: Bool { self == .front || self == .back }
}

extension SettingSyntax where Value == CameraRole {
    /// A role.
    package static var role: Self {
        Self("role", choices: [CameraRole.front, .back].map(\.rawValue)) { text throws(InvalidValue) in
            guard let role = CameraRole(rawValue: text) else {
                throw InvalidValue(
                    "\(text.quoted) is not a role",
                    advice: "give front, back, or another name of letters, digits and _, but not any, none or crop")
            }
            return role
        }
    }
}

extension SettingSyntax where Value == [CameraRole] {
    /// A list of two to eight different roles.
    static var roles: Self {
        Self(list: "role", choices: SettingSyntax<CameraRole>.role.form.choices) { input throws(InvalidValue) in
            let roles = try InvalidValue.collecting(items(input)) { item throws(InvalidValue) in
                [try SettingSyntax<CameraRole>.role.parse(item)]
            }
            guard (2...8).contains(roles.count), Set(roles).count == roles.count else {
                throw InvalidValue("needs 2 to 8 different roles", advice: "write cameras: [front, left]")
            }
            return roles
        }
    }
}

extension SessionDescription {
    /// Checks that each stage has its cameras. A single camera plays `front` and `back`; other roles, and the cameras of
    /// one moment, need a camera each.
    ///
    /// - Parameter roles: The roles that have a camera; empty if pictures are only brought in.
    /// - Throws: ``CaptureError`` `.usage` with the stage as its subject.
    package func checkRoles(_ roles: Set<CameraRole>) throws(CaptureError) {
        guard !roles.isEmpty else { return }
        for stage in stages {
            let isSingle = stage.besides.isEmpty && stage.camera?.isSide != false
            guard let missing = stage.cameras.first(where: { !roles.contains($0) }), !isSingle else { continue }
            throw CaptureError(
                .usage, "needs a camera \(missing.rawValue.quoted)", subject: stage.name,
                advice: "give it with \(missing.isSide ? "--\(missing.rawValue) ID" : "--role \(missing.rawValue)=ID")")
        }
    }
}
