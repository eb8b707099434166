// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A failure to find a camera, read a preset, or capture or store a picture.
///
/// An error names its `subject`, and describes the failure (`message`) and the remedy (`advice`). Its `code` determines
/// the exit status of the command line, as in sysexits(3).
public struct CaptureError: Error, Sendable, Hashable {
    /// The kind of a failure. Later versions may add kinds: compare with `==`. docs/troubleshooting.md and the help of
    /// the command list the exit statuses.
    public struct Code: Sendable, Hashable {
        /// The exit status for this kind, as in sysexits(3).
        public let exitStatus: Int32
        let name: String

        private init(exitStatus: Int32, name: String) { (self.exitStatus, self.name) = (exitStatus, name) }

        /// The command line, or an argument of an API, is invalid (EX_USAGE, 64).
        public static let usage = Code(exitStatus: 64, name: "usage")
        /// An input file or preset does not exist (EX_NOINPUT, 66).
        public static let noInput = Code(exitStatus: 66, name: "no-input")
        /// The camera does not exist, or was disconnected (EX_UNAVAILABLE, 69).
        public static let noCamera = Code(exitStatus: 69, name: "no-camera")
        /// A preview has no display, or its display was disconnected (EX_UNAVAILABLE, 69).
        public static let noDisplay = Code(exitStatus: 69, name: "no-display")
        /// The microphone does not exist, or was disconnected (EX_UNAVAILABLE, 69).
        public static let noMicrophone = Code(exitStatus: 69, name: "no-microphone")
        /// This program has a bug (EX_SOFTWARE, 70).
        public static let software = Code(exitStatus: 70, name: "software")
        /// A call into a driver does not return; the user must restart the process (EX_OSERR, 71).
        public static let wedged = Code(exitStatus: 71, name: "wedged")
        /// An output file or folder cannot be created (EX_CANTCREAT, 73).
        public static let cannotCreate = Code(exitStatus: 73, name: "cannot-create")
        /// Reading or writing failed (EX_IOERR, 74).
        public static let inputOutput = Code(exitStatus: 74, name: "input-output")
        /// A device or file is busy; the same command may succeed later (EX_TEMPFAIL, 75).
        public static let temporary = Code(exitStatus: 75, name: "temporary")
        /// A limit on simultaneous requests is reached; the same request may succeed later (EX_TEMPFAIL, 75).
        public static let limit = Code(exitStatus: 75, name: "limit")
        /// The user lacks a permission (EX_NOPERM, 77).
        public static let permission = Code(exitStatus: 77, name: "permission")
        /// A preset, a variable or the setup of the machine is invalid (EX_CONFIG, 78).
        public static let configuration = Code(exitStatus: 78, name: "configuration")

        /// Returns the kind with a name; `nil` if this version has none.
        package init?(named name: String) {
            let all: [Code] = [
                .usage, .noInput, .noCamera, .noDisplay, .noMicrophone, .software, .wedged, .cannotCreate, .inputOutput,
                .temporary, .limit, .permission, .configuration,
            ]
            guard let code = all.first(where: { $0.name == name }) else { return nil }
            self = code
        }
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, without the subject: one line, or a line for each of several joined errors.
    public let message: String
    /// The device, file, key or element at fault, if there is one.
    public let subject: String?
    /// The remedy for the user; `nil` if none is known.
    public let advice: String?
    /// The error number of the system call that failed (`errno(3)`); `nil` if it is unknown.
    public let systemError: Int32?

    /// Creates an error. Secrets in addresses and properties, such as passwords, are replaced by `***`: errors go to
    /// logs, clients and screens.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, advice: String? = nil, systemError: Int32? = nil
    ) {
        self.code = code
        self.message = message.withoutSecrets
        self.subject = subject?.withoutSecrets
        self.advice = advice?.withoutSecrets
        self.systemError = systemError
    }
}

extension CaptureError.Code: CustomStringConvertible {
    /// The kind as a word for programs, such as `no-camera`. It stays the same between releases.
    public var description: String { name }
}

extension CaptureError {
    /// `subject: message`, without the advice.
    public var summary: String { subject.map { "\($0): \(message)" } ?? message }
}

extension CaptureError: CustomStringConvertible {
    /// `subject: message; advice`.
    public var description: String {
        var line = subject.map { "\($0): " } ?? ""
        line += message
        if let advice { line += "; \(advice)" }
        return line
    }
}

extension CaptureError {
    /// Joins errors into one with the code of the first, and one line for each. Returns a single error unchanged, and
    /// `nil` if `errors` is empty.
    package static func joining(_ errors: [CaptureError]) -> CaptureError? {
        guard let first = errors.first, errors.count > 1 else { return errors.first }
        return CaptureError(first.code, errors.map(\.description).joined(separator: "\n"))
    }

    /// Creates an error that states why a value cannot be read.
    package init(_ code: Code, _ invalid: InvalidValue, subject: String) {
        self.init(code, invalid.message, subject: subject, advice: invalid.advice)
    }
}

extension InvalidValue {
    /// Returns an error for each mistake in a value.
    package func errors(_ code: CaptureError.Code, subject: String) -> [CaptureError] {
        all.map { CaptureError(code, $0, subject: subject) }
    }

    /// Returns an error for each mistake in a file, in the file's order, with `file:line:column` as its subject.
    package static func errors(_ problems: [InvalidValue], in file: String) -> [CaptureError] {
        problems.sorted { ($0.place ?? .start) < ($1.place ?? .start) }.map { problem in
            CaptureError(.configuration, problem, subject: TextPlace.subject(file, problem.place))
        }
    }
}

extension TextPlace {
    /// Returns `file:line:column`, as compilers name a place; the file alone if the place is unknown.
    package static func subject(_ file: String, _ place: TextPlace?) -> String {
        file + (place.map { ":\($0.line):\($0.column)" } ?? "")
    }
}

extension CaptureError {
    /// Returns the system's message for an error number (`strerror(3)`), with a lowercase first letter.
    package static func systemMessage(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
