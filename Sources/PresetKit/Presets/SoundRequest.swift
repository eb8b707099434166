// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit

/// The output for the sounds of a session.
public enum SoundRequest: Sendable, Hashable {
    /// No sound.
    case off
    /// The desktop's loudspeaker (GStreamer's `autoaudiosink`).
    case automatic
    /// Elements in gst-launch syntax, the last of which is a sink of raw audio.
    case elements(String)

    /// The short names, as `init(_:)` reads them.
    public static let names = ["off", "auto"]

    /// Reads a short name; any other text is elements.
    public init(_ text: String) {
        switch text.lowercased() {
        case "off", "no", "none": self = .off
        case "auto", "on", "yes": self = .automatic
        default: self = .elements(text)
        }
    }

    /// Checks that the elements can be created, before anything is opened. The first sound shows if there is a
    /// loudspeaker.
    ///
    /// - Throws: ``CaptureError`` `.configuration`.
    package func check() throws(CaptureError) {
        if case .elements(let text) = self {
            try SinkElements.check(text, behind: "audioconvert", of: "--sound", or: Self.names)
        }
    }

    /// The name of the element that looks for a loudspeaker.
    package static let automaticName = "loudspeaker"

    /// The elements that play sounds; `nil` for no sound.
    package var elements: String? {
        switch self {
        case .off: nil
        case .automatic: "autoaudiosink name=\(Self.automaticName)"
        case .elements(let text): text
        }
    }
}
