// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Keeps a verdict until enough frames in a row contradict it.
package struct Hysteresis: Sendable {
    /// The number of failing frames in a row that change a passing verdict.
    private let framesToFail: Int
    /// The number of passing frames in a row that change a failing verdict.
    private let framesToPass: Int
    /// The current verdict.
    package private(set) var passes: Bool
    private var dissenting = 0

    package init(_ passes: Bool, framesToFail: Int, framesToPass: Int) {
        (self.passes, self.framesToFail, self.framesToPass) = (passes, framesToFail, framesToPass)
    }

    /// Adds the result of the next frame, and returns the verdict.
    package mutating func add(_ passesNow: Bool) -> Bool {
        dissenting = passesNow == passes ? 0 : dissenting + 1
        if dissenting >= (passes ? framesToFail : framesToPass) { (passes, dissenting) = (passesNow, 0) }
        return passes
    }
}
