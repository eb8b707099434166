// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture on its way to a target.
package struct Upload: Sendable, Hashable {
    /// The absolute path of the file on this machine.
    package var path: String
    package var byteCount: Int
    /// The SHA-256 of the file: 64 hexadecimal digits in lowercase.
    package var sha256: String
    /// The name at the target: a relative path of ASCII letters, digits, `-`, `_`, `.` and `/`.
    package var name: String
    /// The values of templates: `board`, `series`, `camera`, `taken` (ISO 8601 with its zone), `file`, `name`,
    /// `sha256`, `bytes` and `id`.
    package var values: [String: String]

    package init(path: String, byteCount: Int, sha256: String, name: String, values: [String: String] = [:]) {
        (self.path, self.byteCount, self.sha256, self.name, self.values) = (path, byteCount, sha256, name, values)
    }
}

/// A file of a target that this machine fetches.
package struct Download: Sendable, Hashable {
    /// The name at the target, as in ``Upload/name``.
    package var name: String
    package var byteCount: Int
    /// The SHA-256 that the file must have: 64 hexadecimal digits in lowercase.
    package var sha256: String
    /// The absolute path that it gets on this machine, in a folder that exists.
    package var path: String

    package init(name: String, byteCount: Int, sha256: String, path: String) {
        (self.name, self.byteCount, self.sha256, self.path) = (name, byteCount, sha256, path)
    }
}

/// How a target has confirmed a picture, from the weakest to the strongest.
package enum Confirmation: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The target has answered that it has the picture.
    case answer
    /// The target names the size of the picture.
    case size
    /// The picture was read back, and its hash compared.
    case readBack = "read-back"
    /// The target has computed and compared the hash.
    case hash

    package static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The end of a delivery that succeeded.
package enum Delivery: Sendable, Hashable {
    /// The target has the picture under its name, and has confirmed it.
    case confirmed(Confirmation)
    /// The target has the picture under its name; ``Transport/confirm(_:)`` has to read it back.
    case stored
}

/// Why a transfer failed. Each message is a clause in words, such as `the server does not answer`.
package enum TransferFault: Error, Sendable, Hashable {
    /// The target cannot be reached, or has no time; at the earliest after the pause that it asks for.
    case unreachable(String, pause: Duration?)
    /// The target has no room.
    case full(String)
    /// The target refuses the credentials, or is another one than expected: a person has to act.
    case access(String)
    /// The clock of this machine is wrong.
    case clock(String)
    /// The folder or bucket of the target does not exist, and cannot be created.
    case missing(String)
    /// The target refuses this picture, now and later.
    case refused(String)
    /// The target has another file of this name.
    case nameTaken(String)
    /// The file on this machine is gone.
    case gone(String)
    /// The file on this machine has another content than its account says.
    case changed(String)
    /// The picture arrived with another content. It was not kept under its name.
    case damaged(String)
    /// The task was canceled.
    case canceled

    /// The reason in words.
    package var reason: String {
        switch self {
        case .unreachable(let text, _), .full(let text), .access(let text), .clock(let text), .missing(let text),
            .refused(let text), .nameTaken(let text), .gone(let text), .changed(let text), .damaged(let text):
            text
        case .canceled: "canceled"
        }
    }
}

/// Sends pictures to one target. A call ends soon after its task is canceled. Several calls can run at a time.
package protocol Transport: Sendable {
    /// Delivers a picture under its name, and never overwrites a file. If the target already has the same picture under
    /// this name, that is success.
    ///
    /// - Parameters:
    ///   - token: What `keep` has received in an earlier attempt that was interrupted; `nil` for the first.
    ///   - keep: Receives what a later attempt needs in order to resume, before it is needed.
    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery

    /// Reads a picture back that was stored, and compares its hash.
    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation

    /// Erases a file. A file that is missing is success.
    func erase(_ name: String) async throws(TransferFault)

    /// The strongest confirmation of this target.
    var confirmation: Confirmation { get }

    /// `true` if ``erase(_:)`` can succeed.
    var canErase: Bool { get }
}

/// A transport that also reads the files of its target.
package protocol FetchingTransport: Transport {
    /// Returns `true` if the target has a file of a name; `false` also if it does not tell this user.
    func has(_ name: String) async throws(TransferFault) -> Bool

    /// Fetches a file. On return it is at its path, complete and durable; until then, nothing is.
    ///
    /// - Returns: `false` if the target does not have the file.
    /// - Throws: ``TransferFault/damaged(_:)`` if the file of the target has another size or hash.
    func fetch(_ download: Download) async throws(TransferFault) -> Bool
}
