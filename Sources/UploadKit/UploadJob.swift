// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A picture that a target has to get, or to erase.
package struct UploadJob: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case waiting
        /// The target has the picture, and has to confirm it.
        case stored
        /// It is not sent until a person wants it to be sent.
        case dead
    }

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case send
        /// The target has the picture, and has to erase it.
        case erase
    }

    /// The number in the store.
    package let id: Int64
    package let lane: OutboxStore.Lane
    package private(set) var picture: UploadPicture
    /// The name at the target; empty while the hash of the picture is not known.
    package var name: String
    package var kind = Kind.send
    package var state = State.waiting
    /// How often the picture alone has failed.
    package var failures = 0
    /// The reason of the last failure.
    package var reason: String?
    /// The token with which a later attempt resumes the transfer.
    package var token: String?
    /// `true` if the name does not follow from the naming of its line, such as one with `-2`.
    package var hasOwnName = false
    /// `true` if a person has deleted the picture since: it must not be at the target.
    package var isDeleted = false

    package init(id: Int64, lane: OutboxStore.Lane, picture: UploadPicture, name: String) {
        (self.id, self.lane, self.picture, self.name) = (id, lane, picture, name)
    }

    /// Sets the hash of a picture whose account has none, and the name at the target.
    mutating func identify(_ sha256: String, name: String) {
        picture.sha256 = sha256
        self.name = name
    }

    /// The picture for a transport.
    package var upload: Upload {
        Upload(
            path: picture.path, byteCount: picture.byteCount, sha256: picture.sha256, name: name,
            values: picture.values.merging(["name": name]) { first, _ in first })
    }

    /// `true` if an erasure first has to find out whether the target has the picture under this name.
    package var isDoubtful: Bool { kind == .erase && !picture.sha256.isEmpty }
}
