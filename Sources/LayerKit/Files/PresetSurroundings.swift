// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The paths of a process that determine where presets are found.
public struct PresetSurroundings: Sendable, Hashable {
    /// The folder that relative paths start from; absolute.
    public var workingFolder: String
    /// The user's home folder.
    public var home: String?
    /// The user's configuration folder, if it is not `~/.config` (`XDG_CONFIG_HOME`).
    public var configurationHome: String?
    /// The file of the running program.
    public var executable: String?

    /// Creates surroundings.
    public init(
        workingFolder: String, home: String? = nil, configurationHome: String? = nil, executable: String? = nil
    ) {
        self.workingFolder = workingFolder
        self.home = home
        self.configurationHome = configurationHome
        self.executable = executable
    }

    /// The surroundings of this process at the time of the call.
    public static var process: PresetSurroundings { process(DeviceFiles.canonical("/proc/self/exe")) }

    /// The surroundings of this process at the time of the call, for a plugin whose file is not that of the program.
    package static func process(_ executable: String?) -> PresetSurroundings {
        PresetSurroundings(
            workingFolder: DeviceFiles.canonical(".") ?? "/", home: variable("HOME"),
            configurationHome: variable("XDG_CONFIG_HOME"), executable: executable)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension PresetSurroundings {
    /// The folders to search, in order of precedence; not all of them need exist. The working folder's comes last:
    /// other people may have written it, as in a download, an archive or a shared folder.
    package var folders: [String] { trustedFolders + [workingFolder + "/pipelines"] }

    /// The folder whose presets must not run anything. `nil` if it is also a folder of the user or of the installation,
    /// as in the checkout in which the program was built.
    package var untrustedFolder: String? {
        let folder = workingFolder + "/pipelines"
        guard let real = DeviceFiles.canonical(folder) else { return nil }
        return trustedFolders.contains { DeviceFiles.canonical($0) == real } ? nil : folder
    }

    private var trustedFolders: [String] {
        // The XDG Base Directory Specification requires that relative paths in XDG_CONFIG_HOME are ignored.
        let configuration = [configurationHome, home.map { $0 + "/.config" }].compactMap { $0 }
            .first { $0.hasPrefix("/") }
        let user = configuration.map { [$0 + "/gst-capture"] } ?? []
        return user + ["/etc/gst-capture"] + Installation.folders("pipelines", of: executable)
    }
}
