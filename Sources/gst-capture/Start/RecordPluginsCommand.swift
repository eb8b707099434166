// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import PipelineKit

/// Lets GStreamer write the registry of a ``PluginSelection``. The command starts it; it is not for users.
struct RecordPluginsCommand: ParsableCommand {
    static let name = "record-plugins"

    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument var cache: String
    @Argument var stamp: String
    @Argument var fingerprint: String
    @Argument var plugins: [String]

    func run() throws {
        try GStreamer.initialize()
        PluginSelection.confirm(cache: cache, stamp: stamp, fingerprint, plugins)
    }
}
