// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Keeps an answer until enough frames in a row say otherwise.
struct Hysteresis: Sendable {
    /// How many frames in a row must fail.
    let framesToFail: Int
    /// How many frames in a row must pass.
    let framesToPass: Int
    /// The answer so far.
    private(set) var passes: Bool
    private var dissenting = 0

    init(_ passes: Bool, framesToFail: Int, framesToPass: Int) {
        (self.passes, self.framesToFail, self.framesToPass) = (passes, framesToFail, framesToPass)
    }

    mutating func add(_ passesNow: Bool) -> Bool {
        dissenting = passesNow == passes ? 0 : dissenting + 1
        if dissenting >= (passes ? framesToFail : framesToPass) { (passes, dissenting) = (passesNow, 0) }
        return passes
    }
}
