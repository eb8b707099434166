// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

extension CommandConfiguration {
    /// This configuration, for a subcommand that is parsed alone, without its root command.
    ///
    /// ArgumentParser then does not look for `--generate-completion-script`, which it does by parsing the arguments two
    /// more times, and which only the root command has.
    var parsedAlone: Self {
        var configuration = self
        configuration._superCommandName = "gst-capture"
        return configuration
    }
}
