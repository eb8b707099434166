// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What is wrong with a layer: in one line, with what the user can do.
public struct OverlayError: Error, Sendable, Hashable {
    /// The kind of failure. New kinds may be added: compare with `==`, do not switch exhaustively.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The kind in words that stay the same between releases.
        public let description: String

        /// There is no such file.
        public static let noInput = Code(description: "no-input")
        /// A file that we may not read.
        public static let permission = Code(description: "permission")
        /// The file cannot be read as what it says it is.
        public static let damaged = Code(description: "damaged")
        /// Drawing it takes more time, memory or elements than an overlay may.
        public static let tooMuch = Code(description: "too-much")
        /// The frames' format is none that can be drawn on.
        public static let format = Code(description: "format")
        /// What draws does not run.
        public static let rasteriser = Code(description: "rasteriser")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, in one line, without the subject.
    public let message: String
    /// The file or layer at fault.
    public let subject: String?
    /// What the user can do.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, subject: String? = nil, advice: String? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.advice = advice
    }
}

extension OverlayError: CustomStringConvertible {
    /// `subject: message; advice`, on one line.
    public var description: String {
        (subject.map { "\($0): " } ?? "") + message + (advice.map { "; \($0)" } ?? "")
    }
}
