// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The folders in which programs of a user, or of a service, keep their files, after the XDG Base Directory
/// Specification.
public enum ProgramFolders {
    /// The state folder of this process: `$STATE_DIRECTORY` of the service manager, `gst-capture` in
    /// `$XDG_STATE_HOME`, or `.local/state/gst-capture` in the home folder; `nil` without any of them.
    public static var state: String? {
        if let folders = variable("STATE_DIRECTORY") { return folders.split(separator: ":").first.map(String.init) }
        if let home = variable("XDG_STATE_HOME") { return home + "/gst-capture" }
        return variable("HOME").map { $0 + "/.local/state/gst-capture" }
    }

    /// The folder of configurations: `$XDG_CONFIG_HOME`, or `.config` in the home folder; `nil` without any of them.
    package static var configuration: String? {
        variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
    }

    /// An absolute path; the specification requires that others are ignored.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
        return value
    }
}
