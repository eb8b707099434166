// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Says whether there is too little or too much light, from how much of the picture is black or white and from its mean.
///
/// The score is the mean luma, 0 black to 1 white. A value, of no thread.
public struct LightGate: Sendable {
    /// What is let pass.
    public struct Limits: Sendable, Hashable {
        /// The darkest mean luma, 0 to 1.
        public var darkest = 0.18
        /// The brightest mean luma, 0 to 1.
        public var brightest = 0.82
        /// The largest part of the picture that may be nearly black.
        public var dark = 0.6
        /// The largest part of the picture that may be white, with nothing to see in it.
        public var clipped = 0.25
        /// The largest part of ``glareBox`` that may be white.
        public var glare = 1.0
        /// Where glare is looked for, as parts of the picture's width and height: the box of a card's outline. `nil` to look
        /// for none.
        public var glareBox: PixelBox?

        /// The limits that stand by default.
        public init() {}

        /// The limits of a session's gate.
        init(_ request: GateRequest?, _ subject: GateSubject?) {
            if subject?.presence == .edges, let boundary = subject?.boundary, boundary.count >= 3 {
                (glare, glareBox) = (request?.glare ?? GateRequest.usualGlare, PixelBox(around: boundary))
            } else {
                clipped = request?.glare ?? clipped
            }
        }

        /// So many times as far from black and white; 1 is the same.
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
        /// The part of a card that is white; 0 if glare is not looked for.
        public var glare = 0.0
    }

    private let limits: Limits
    private var hysteresis = Hysteresis(true, framesToFail: 5, framesToPass: 5)
    private var hint = GateHint.moreLight
    /// The light of the last frame.
    public private(set) var measure = Measure(mean: 0, dark: 1, clipped: 0)

    /// Creates a gate.
    public init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Takes the next frame into account.
    public mutating func add(_ frame: LumaFrame) -> GateVerdict {
        measure = Measure(frame)
        if let box = limits.glareBox { measure.glare = LightGate.Measure.clipped(frame, in: box) }
        // A gate that failed asks for a little more, so that a picture on the edge does not come and go.
        let margin = hysteresis.passes ? 1 : 0.9
        let isDark = measure.mean * margin < limits.darkest || measure.dark > limits.dark * margin
        let isBright =
            measure.mean > limits.brightest * margin || measure.clipped > limits.clipped * margin
            || measure.glare > limits.glare * margin
        // What is too dark and too bright at once, a lamp in the night, lacks light elsewhere.
        if isDark || isBright { hint = isDark ? .moreLight : .lessLight }
        let passes = hysteresis.add(!isDark && !isBright)
        let threshold = hint == .moreLight ? limits.darkest : limits.brightest
        return GateVerdict(gate: .light, score: measure.mean, threshold: threshold, passes: passes, hint: hint)
    }
}

extension LightGate.Measure {
    /// How many times as far it is from the limits' extremes as they are themselves: 1 on the limit, less beyond it.
    func room(within limits: LightGate.Limits) -> Double {
        let mean = min(mean / limits.darkest, (1 - mean) / (1 - limits.brightest))
        let white = min(limits.clipped / max(clipped, 1e-6), limits.glare / max(glare, 1e-6))
        return min(mean, min(limits.dark / max(dark, 1e-6), white))
    }

    /// The part of a box of the picture that is white.
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
