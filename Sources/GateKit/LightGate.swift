// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FrameMeasures
import PresetKit

/// Judges whether there is too little or too much light, from the black and white parts of the picture and its mean.
///
/// The score is the mean luma, 0 black to 1 white. A value type without thread affinity.
public struct LightGate: Sendable {
    /// The limits within which the gate passes.
    public struct Limits: Sendable, Hashable {
        /// The darkest mean luma, 0 to 1.
        public var darkest = 0.18
        /// The brightest mean luma, 0 to 1.
        public var brightest = 0.82
        /// The largest part of the picture that may be nearly black.
        public var dark = 0.6
        /// The largest part of the picture that may be white, without any detail.
        public var clipped = 0.25
        /// The largest part of ``glareBox`` that may be white.
        public var glare = 1.0
        /// The box that is searched for glare, in parts of the picture's width and height: the box of a card's outline.
        /// `nil` to search for none.
        public var glareBox: PixelBox?

        /// Creates the default limits.
        public init() {}

        /// Creates the limits for a session's request and subject.
        init(_ request: GateRequest?, _ subject: GateSubject?) {
            if subject?.presence == .edges, let boundary = subject?.boundary, boundary.count >= 3 {
                (glare, glareBox) = (request?.glare ?? GateRequest.usualGlare, PixelBox(around: boundary))
            } else {
                clipped = request?.glare ?? clipped
            }
        }

        /// Returns limits that are `factor` times as far from black and white; a factor of 1 changes nothing.
        func scaled(by factor: Double) -> Limits {
            var limits = self
            limits.darkest *= factor
            limits.brightest = 1 - (1 - brightest) * factor
            limits.dark /= factor
            limits.clipped /= factor
            limits.glare /= factor
            return limits
        }
    }

    /// The light of a frame.
    public struct Measure: Sendable, Hashable {
        /// The mean luma, 0 black to 1 white.
        public var mean: Double
        /// The part of the picture that is nearly black.
        public var dark: Double
        /// The part of the picture that is white.
        public var clipped: Double
        /// The part of a card that is white; 0 if the gate does not search for glare.
        public var glare = 0.0
    }

    private let limits: Limits
    private var hysteresis = Hysteresis(true, framesToFail: 5, framesToPass: 5)
    private var hint = GateHint.moreLight
    /// The light of the last frame.
    public private(set) var measure = Measure(mean: 0, dark: 1, clipped: 0)

    /// Creates a gate.
    public init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Judges the next frame.
    public mutating func add(_ frame: LumaFrame) -> GateVerdict {
        measure = Measure(frame)
        if let box = limits.glareBox { measure.glare = LightGate.Measure.clipped(frame, in: box) }
        // A failed gate requires a little more, so that a picture at the limit does not toggle it.
        let margin = hysteresis.passes ? 1 : 0.9
        let isDark = measure.mean * margin < limits.darkest || measure.dark > limits.dark * margin
        let isBright =
            measure.mean > limits.brightest * margin || measure.clipped > limits.clipped * margin
            || measure.glare > limits.glare * margin
        // A picture that is too dark and too bright at once, such as a lamp at night, needs more light elsewhere.
        if isDark || isBright { hint = isDark ? .moreLight : .lessLight }
        let passes = hysteresis.add(!isDark && !isBright)
        let threshold = hint == .moreLight ? limits.darkest : limits.brightest
        return GateVerdict(gate: .light, score: measure.mean, threshold: threshold, passes: passes, hint: hint)
    }
}

extension LightGate.Measure {
    /// Returns the room to the nearest limit, as a ratio: 1 at the limit, more within it, less beyond it.
    func room(within limits: LightGate.Limits) -> Double {
        let mean = min(mean / limits.darkest, (1 - mean) / (1 - limits.brightest))
        let white = min(limits.clipped / max(clipped, 1e-6), limits.glare / max(glare, 1e-6))
        return min(mean, min(limits.dark / max(dark, 1e-6), white))
    }

    /// Returns the part of a box of the picture that is white.
    static func clipped(_ frame: LumaFrame, in box: PixelBox) -> Double {
        func place(_ part: Double, _ length: Int) -> Int { Int((min(max(part, 0), 1) * Double(length)).rounded()) }
        let columns = place(box.x, frame.width)..<max(place(box.x, frame.width), place(box.x + box.width, frame.width))
        let rows = place(box.y, frame.height)..<max(place(box.y, frame.height), place(box.y + box.height, frame.height))
        let brightest = brightest(of: frame)
        var count = 0
        frame.levels.withUnsafeBufferPointer { levels in
            for row in rows {
                for column in columns where levels[row &* frame.width &+ column] >= brightest { count &+= 1 }
            }
        }
        return Double(count) / Double(max(1, rows.count * columns.count))
    }

    private static func brightest(of frame: LumaFrame) -> UInt8 {
        frame.white - UInt8((Double(frame.white) - Double(frame.black)) * 0.02)
    }

    init(_ frame: LumaFrame) {
        let range = Double(frame.white) - Double(frame.black)
        let (darkest, brightest) = (frame.black + UInt8(range * 0.06), frame.white - UInt8(range * 0.02))
        var (sum, dark, clipped) = (0, 0, 0)
        frame.levels.withUnsafeBufferPointer { levels in
            var index = 0
            while index < levels.count {
                let level = levels[index]
                sum &+= Int(level)
                dark &+= level <= darkest ? 1 : 0
                clipped &+= level >= brightest ? 1 : 0
                index &+= 1
            }
        }
        let count = Double(max(1, frame.levels.count))
        let mean = (Double(sum) / count - Double(frame.black)) / range
        self.init(mean: min(max(mean, 0), 1), dark: Double(dark) / count, clipped: Double(clipped) / count)
    }
}
