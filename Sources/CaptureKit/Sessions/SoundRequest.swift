// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where the sounds of a session are heard.
public enum SoundRequest: Sendable, Hashable {
    /// Nowhere.
    case off
    /// At the desktop's loudspeaker (GStreamer's `autoaudiosink`).
    case automatic
    /// Elements in gst-launch syntax, the last of which is a sink of raw audio.
    case elements(String)

    /// The short names, as `init(_:)` reads them.
    public static let names = ["off", "auto"]

    /// Reads a short name; anything else is elements.
    public init(_ text: String) {
        switch text.lowercased() {
        case "off", "no", "none": self = .off
        case "auto", "on", "yes": self = .automatic
        default: self = .elements(text)
        }
    }

    /// Looks whether elements are some, before anything is opened; whether there is a loudspeaker, the first sound tells.
    ///
    /// - Throws: ``CaptureError`` `.configuration`.
    func check() throws(CaptureError) {
        if case .elements(let text) = self {
            try SinkElements.check(text, behind: "audioconvert", of: "--sound", or: Self.names)
        }
    }

    /// The name of the element that looks for a loudspeaker.
    static let automaticName = "loudspeaker"

    /// The elements that make it heard; `nil` where nothing is.
    var elements: String? {
        switch self {
        case .off: nil
        case .automatic: "autoaudiosink name=\(Self.automaticName)"
        case .elements(let text): text
        }
    }
}
