// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Testing

/// Ends the test process when GLib or GStreamer reports a critical: in a binding, each one is a bug.
struct CriticalsAreFatal: SuiteTrait, TestTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        CriticalsAreFatal.install
        try await function()
    }

    /// For child processes, to which no trait applies.
    static let install: Void = {
        _ = g_log_set_always_fatal(GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
    }()
}

extension Trait where Self == CriticalsAreFatal {
    /// Criticals end the process.
    static var criticalsAreFatal: Self { Self() }
}
