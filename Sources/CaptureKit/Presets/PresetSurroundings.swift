// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// What decides where presets are looked for.
public struct PresetSurroundings: Sendable, Hashable {
    /// The folder that relative paths start from; absolute.
    public var workingFolder: String
    /// The user's own folder.
    public var home: String?
    /// Where the user's configuration is, if it is not `~/.config` (`XDG_CONFIG_HOME`).
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

    /// Those of this process, as they are now.
    public static var process: PresetSurroundings {
        PresetSurroundings(
            workingFolder: DeviceFiles.canonical(".") ?? "/", home: variable("HOME"),
            configurationHome: variable("XDG_CONFIG_HOME"), executable: DeviceFiles.canonical("/proc/self/exe"))
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension PresetSurroundings {
    /// The folders that are searched, first wins; not all of them need be there. The working folder's comes last: others
    /// may have written it, as in a download, an archive or a shared folder.
    var folders: [String] { trustedFolders + [workingFolder + "/pipelines"] }

    /// The folder in which presets must not run anything; `nil` if it is one of the user or of the installation, too, as
    /// in the checkout that the program was built in.
    var untrustedFolder: String? {
        let folder = workingFolder + "/pipelines"
        guard let real = DeviceFiles.canonical(folder) else { return nil }
        return trustedFolders.contains { DeviceFiles.canonical($0) == real } ? nil : folder
    }

    private var trustedFolders: [String] {
        // The specification has relative paths in XDG_CONFIG_HOME ignored.
        let configuration = [configurationHome, home.map { $0 + "/.config" }].compactMap { $0 }
            .first { $0.hasPrefix("/") }
        let user = configuration.map { [$0 + "/gst-capture"] } ?? []
        let installed = ["/usr/local/share", "/usr/share"].map { $0 + Self.share }
        return user + ["/etc/gst-capture"] + besideExecutable + installed
    }

    private static let share = "/gst-capture/pipelines"

    /// The share folder of the prefix that the program is installed in, or the checkout that it is built in.
    private var besideExecutable: [String] {
        guard let executable, executable.hasPrefix("/") else { return [] }
        let folder = DeviceFiles.folder(of: executable)
        let checkout = sequence(first: folder) { $0.isEmpty ? nil : DeviceFiles.folder(of: $0) }
            .first { DeviceFiles.exists($0 + "/Package.swift") && DeviceFiles.exists($0 + "/pipelines") }
        return [DeviceFiles.folder(of: folder) + "/share" + Self.share] + (checkout.map { [$0 + "/pipelines"] } ?? [])
    }
}
