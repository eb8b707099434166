// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

/// A test that cannot run on this machine.
struct SkippedTest: Error, CustomStringConvertible {
    let description: String

    /// Ends the test that runs: it is skipped for this reason. With Swift before 6.3, whose tests cannot be skipped while
    /// they run, it fails.
    static func skip(_ reason: String) throws -> Never {
        #if compiler(>=6.3)
        try Test.cancel("\(reason)")
        #else
        throw SkippedTest(description: reason)
        #endif
    }
}
#endif
