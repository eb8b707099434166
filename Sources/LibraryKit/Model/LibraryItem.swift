// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import StillKit

/// A picture or a movie in a library.
public struct LibraryItem: Sendable, Hashable {
    /// Its ID.
    public let id: ItemID
    /// The facts from its account or its file.
    public var facts: ItemFacts
    /// The tags, stars and title, from the sidecar.
    public var notes = ItemNotes()
    /// Whether its file is there.
    public var state = State.present
    /// The titles of its albums, sorted.
    public internal(set) var albums: [String] = []

    /// Creates an item.
    public init(id: ItemID, facts: ItemFacts) { (self.id, self.facts) = (id, facts) }

    /// Whether the file of a picture is there. The numbers are in the index.
    public enum State: Int, Sendable, Hashable, CaseIterable {
        /// The file is at its place, or its disk is away.
        case present = 0
        /// The file is gone, although its disk is there.
        case missing = 1
        /// The picture is in the trash.
        case trash = 2
    }
}

/// The facts about a picture, which follow from its account or its file alone.
public struct ItemFacts: Sendable, Hashable {
    /// The kind of a picture's account. The numbers are in the index.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// A picture in the ledger of a series.
        case still = 0
        /// A picture of a session.
        case session = 1
        /// A file without an account.
        case file = 2
        /// A clip of a camera.
        case clip = 3

        /// The kind as a word.
        public var word: String {
            switch self {
            case .still: "still"
            case .session: "session"
            case .file: "file"
            case .clip: "clip"
            }
        }
    }

    /// The kind of its account.
    public var kind: Kind
    /// When it was captured.
    public var taken: WallTime
    /// The size of the file, in bytes.
    public var byteCount: Int
    /// The name of the file.
    public var fileName: String
    /// The size as viewers show it, in pixels; 0 if it is unknown.
    public var width = 0, height = 0
    /// The duration of a movie, in whole milliseconds; `nil` for a picture.
    public var duration: Duration?
    /// The SHA-256 of the file, 64 hexadecimal digits; `nil` if it was not computed yet.
    public var sha256: String?
    /// The ID of the camera.
    public var camera: String?
    /// The ID of the series.
    public var series: String?
    /// The name of the session.
    public var session: String?
    /// The stage of the session.
    public var stage: String?
    /// The mean luma of the frame, 0 black to 1 white.
    public var brightness: Double?
    /// The amount of detail in the frame.
    public var sharpness: Double?

    /// Creates facts.
    public init(_ kind: Kind, taken: WallTime, byteCount: Int, fileName: String) {
        (self.kind, self.taken, self.byteCount, self.fileName) = (kind, taken, byteCount, fileName)
    }
}

/// The tags, stars and title of a picture. The sidecar beside the picture has them; the index has a copy.
public struct ItemNotes: Sendable, Hashable {
    /// The tags in their order, each once.
    public var tags: [String] = []
    /// 1 to 5 stars; 0 for none.
    public var stars = 0
    /// The title; `nil` for none.
    public var title: String?

    /// Creates notes.
    public init(tags: [String] = [], stars: Int = 0, title: String? = nil) {
        (self.tags, self.stars, self.title) = (tags, stars, title)
    }
}

/// The place of a picture's file.
public struct ItemPlace: Sendable, Hashable {
    /// The role of a file of a picture. The numbers are in the index.
    public enum Role: Int, Sendable, Hashable {
        /// The file that is shown: the crop of a session's picture if it has one.
        case shown = 0
        /// The whole picture of a crop.
        case whole = 1
        /// The picture of a further camera, or the first picture of a session's clip.
        case view = 2
        /// A link in an album.
        case album = 3

        /// `true` for a file with the picture itself.
        public var isPicture: Bool { self == .shown || self == .album }
    }

    /// The absolute path of the folder.
    public var folder: String
    /// The name of the file.
    public var name: String
    /// The role of the file.
    public var role = Role.shown

    /// Creates a place.
    public init(folder: String, name: String, role: Role = .shown) {
        (self.folder, self.name, self.role) = (folder, name, role)
    }

    /// Creates the place of an absolute path.
    init(path: String, role: Role = .shown) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let folder = path[..<slash]
        self.init(
            folder: folder.isEmpty ? "/" : String(folder), name: String(path[path.utf8.index(after: slash)...]),
            role: role)
    }

    /// The absolute path.
    public var path: String { folder == "/" ? "/" + name : folder + "/" + name }

    /// Compares the bytes: two names in different forms of Unicode are two files, and equal as texts.
    public static func == (first: ItemPlace, second: ItemPlace) -> Bool {
        first.role == second.role && first.name.utf8.elementsEqual(second.name.utf8)
            && first.folder.utf8.elementsEqual(second.folder.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(role)
    }
}

extension [ItemPlace] {
    /// The files with the picture itself; links in albums only if there is no other one.
    package var pictures: [ItemPlace] {
        let shown = filter { $0.role == .shown }
        return shown.isEmpty ? filter { $0.role == .album } : shown
    }
}
#endif
