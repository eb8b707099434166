// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An error about a layer, in one line, with advice for the user.
public struct OverlayError: Error, Sendable, Hashable {
    /// The kind of failure. New kinds may be added: compare with `==`, do not switch exhaustively.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The kind in words that stay the same between releases.
        public let description: String

        /// The file does not exist, is not a regular file, or cannot be opened or read for another reason.
        public static let noInput = Code(description: "no-input")
        /// This process may not read the file.
        public static let permission = Code(description: "permission")
        /// The content of the file is not a drawing or a picture, or is damaged.
        public static let damaged = Code(description: "damaged")
        /// The file, the picture, the text or the frame is too large, or drawing the layer takes too much time or
        /// memory, or ends the process that draws.
        public static let tooMuch = Code(description: "too-much")
        /// Overlays cannot be drawn on frames of this format or size.
        public static let format = Code(description: "format")
        /// The rasterizer does not run or does not answer, or the drawing was canceled.
        public static let rasterizer = Code(description: "rasteriser")
    }

    /// The kind of failure.
    public let code: Code
    /// The failure in one line, without the subject.
    public let message: String
    /// The file or layer at fault; `nil` if there is none.
    public let subject: String?
    /// The remedy for the user; `nil` if there is none.
    public let advice: String?
    /// `true` if the same layer may be drawn later without a change: the machine was too busy, or had no memory.
    /// ``Overlay`` tries again then.
    public let isTransient: Bool

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, subject: String? = nil, advice: String? = nil, isTransient: Bool = false
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.advice = advice
        self.isTransient = isTransient
    }
}

extension OverlayError: CustomStringConvertible {
    /// `subject: message; advice`, on one line.
    public var description: String {
        (subject.map { "\($0): " } ?? "") + message + (advice.map { "; \($0)" } ?? "")
    }
}
