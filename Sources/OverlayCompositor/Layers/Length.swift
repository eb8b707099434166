// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A length on the frame.
public enum Length: Sendable, Hashable {
    /// A fraction of the frame's shorter side, so that it looks the same at every size.
    case fraction(Double)
    /// A number of pixels.
    case pixels(Double)

    /// Returns the length in pixels of a frame of this size.
    func pixels(in frame: (width: Int, height: Int)) -> Double {
        switch self {
        case .fraction(let fraction): fraction * Double(min(frame.width, frame.height))
        case .pixels(let pixels): pixels
        }
    }
}
