// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import Glibc
import PipelineKit

/// Lets GStreamer write the registry of a ``PluginSelection``. The command starts it; it is not for users.
struct RecordPluginsCommand: ParsableCommand {
    static let name = "record-plugins"

    /// The name of the variable with the fingerprint of the whole registry.
    static let fingerprint = "GST_CAPTURE_FINGERPRINT"

    static let configuration = CommandConfiguration(commandName: name)

    @Argument var caches: String
    @Argument var plugins: [String]

    func run() throws {
        guard let fingerprint = getenv(Self.fingerprint) else { return }
        // A video device that does not answer must not delay the capture that waits for this process.
        alarm(10)
        try GStreamer.initialize()
        PluginSelection(in: caches).confirm(String(cString: fingerprint), plugins)
    }
}
