// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The caps of a camera's frames with the frame rate for which an encoder budgets its bits: the rate of the camera or, if
/// it is lower, the limit.
///
/// Without a frame rate, as in `framerate=0/1`, openh264enc assumes one frame a second, and x264enc delays each frame until
/// the next one.
struct FrameFormat: Sendable {
    /// The rate for cameras without one, in frames per second.
    private static let usual = 30.0

    private let limit: Double?
    private var last: (source: Caps, result: Caps)?

    /// - Parameter rate: The maximum number of frames a second; `nil` for no limit.
    init(rate: Double?) { limit = rate }

    /// Returns caps with a frame rate that encoders can use.
    mutating func caps(for caps: Caps) -> Caps {
        if let last, last.source == caps { return last.result }
        let result = changed(caps)
        last = (caps, result)
        return result
    }

    private func changed(_ caps: Caps) -> Caps {
        let stated: Fraction? = caps.structures.first?["framerate"]
        let rate = stated.flatMap { $0.numerator > 0 ? Double($0.numerator) / Double($0.denominator) : nil }
        let wanted = min(rate ?? Self.usual, limit ?? .infinity)
        guard wanted != rate, caps.structures.count == 1 else { return caps }
        let field = "framerate=(fraction)\(max(1, Int((wanted * 1000).rounded())))/1000"
        let text = caps.description
        guard let start = text.firstRange(of: "framerate=(fraction)")?.lowerBound else {
            return (try? Caps("\(text), \(field)")) ?? caps
        }
        let end = text[start...].firstIndex { $0 == "," || $0 == ";" } ?? text.endIndex
        return (try? Caps("\(text[..<start])\(field)\(text[end...])")) ?? caps
    }
}
