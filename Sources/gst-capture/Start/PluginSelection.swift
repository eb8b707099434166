// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import HookKit
import PipelineKit

/// The few plugins of GStreamer that a plain capture needs, with a separate registry.
///
/// GStreamer's registry describes all plugins, about 250 with Debian's packages, and GStreamer reads all of it at each
/// start. A plain capture uses a dozen of them. After a start with the whole registry, the command links these plugins
/// into a folder and starts a second process, in which GStreamer writes their registry. Later starts read that one.
///
/// A stamp holds the fingerprint of the whole registry at that time (``PluginRegistry``). If anything differs,
/// GStreamer starts with the whole registry, and the plugins are selected again.
struct PluginSelection {
    /// The folder of links to the plugins.
    let folder: String
    /// The path of the registry.
    let cache: String
    /// The path of the stamp.
    let stamp: String

    init(in caches: String) {
        (folder, cache, stamp) = (caches + "/plugins", caches + "/plugins.bin", caches + "/selection")
    }

    /// The plugins with the elements of our own pipelines. GStreamer 1.20 and older have the elements of
    /// `videoconvertscale` in two plugins.
    private static let names = [
        "app", "coreelements", "jpeg", "png", "video4linux2", "videoconvert", "videoconvertscale", "videofilter",
        "videoscale", "videotestsrc", "webp",
    ]

    /// Attempts to make a selection for the same state of the whole registry.
    private static let attemptLimit = 3

    /// `true` if a command captures with our own pipelines: no option, variable or preset brings other elements.
    static func suits(_ arguments: [String]) -> Bool {
        guard arguments.first == "snap" || arguments.first == "timelapse" else { return false }
        let variables = settings.map { "GST_CAPTURE_" + $0.uppercased() }
        return variables.allSatisfy { getenv($0) == nil } && !arguments.contains(where: bringsElements)
    }

    /// The settings that bring other elements: live photos and films need an encoder of video.
    private static let settings = ["source", "decode", "preset", "live", "film"]

    /// `true` for the options of ``settings``; for `-p`, alone or packed with others; and for a value that looks like one of
    /// these.
    private static func bringsElements(_ argument: String) -> Bool {
        if argument.hasPrefix("--") { return settings.contains { argument.hasPrefix("--" + $0) } }
        return argument.hasPrefix("-") && argument.contains("p")
    }

    /// Lets GStreamer read the registry of the selection if it is current. This sets environment variables: call it
    /// before GStreamer starts, and before there are threads.
    ///
    /// - Parameter fingerprint: That of the whole registry now.
    /// - Returns: `true` if GStreamer reads the selection's registry, without a check.
    func use(_ fingerprint: String) -> Bool {
        guard let state = state(fingerprint), CacheFile.read(stamp) == state else { return false }
        OwnVariables.set("GST_REGISTRY_1_0", cache)
        OwnVariables.set("GST_PLUGIN_SYSTEM_PATH_1_0", folder)
        OwnVariables.set("GST_REGISTRY_UPDATE", "no")
        return true
    }

    /// `true` if GStreamer reads the registry of a selection.
    static var isUsed: Bool { OwnVariables.contain("GST_REGISTRY_1_0=") }

    /// Loads the plugins that a capture may need later, so that it does not depend on the links (`gst_plugin_load`).
    /// The plugin of V4L2 is loaded with the first camera.
    static func load() {
        for name in names where name != "video4linux2" { GStreamer.loadPlugin(name) }
    }

    /// Links the plugins, and waits for the process that writes their registry and the stamp, ten seconds at most. Call
    /// it when GStreamer has started with the whole registry, and before a camera is opened: the plugin of V4L2 opens
    /// all of them. After three attempts that failed, it does nothing until the state of the whole registry changes.
    ///
    /// Cameras of libcamera need its plugin, and the plugins that its device provider needs: if it is installed, there
    /// is no selection.
    func make(_ fingerprint: String) {
        // GStreamer separates the folders of a path by colons.
        guard !folder.contains(":"), !GStreamer.hasElement("libcamerasrc"), beginAttempt(fingerprint),
            let plugins = link()
        else { return }
        var environment = ["HOME", "PATH", "XDG_DATA_HOME"].compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        // Arguments are visible to other users, variables are not.
        environment += [
            "GST_REGISTRY_1_0=" + cache, "GST_PLUGIN_SYSTEM_PATH_1_0=" + folder,
            RecordPluginsCommand.fingerprint + "=" + fingerprint,
        ]
        let child = try? ChildProcess(
            "/proc/self/exe",
            arguments: ["gst-capture", RecordPluginsCommand.name, DeviceFiles.folder(of: stamp)] + plugins,
            environment: environment, streams: [.null, .null, .null])
        child?.reap()
    }

    /// Counts an attempt in the stamp's file. Returns `false` if the limit is reached, or if the file cannot be
    /// written.
    private func beginAttempt(_ fingerprint: String) -> Bool {
        let heads = (1...Self.attemptLimit).map { "attempt \($0)\n" }
        let last = CacheFile.read(stamp)
        let next = heads.firstIndex { $0 + fingerprint == last }.map { $0 + 1 } ?? 0
        guard next < heads.count else { return false }
        return CacheFile.write(heads[next] + fingerprint, to: stamp)
    }

    /// Links each plugin that is installed. Returns the names of the plugins; `nil` if a link cannot be created. A link
    /// that is right stays: another capture could be loading it.
    private func link() -> [String]? {
        mkdir(folder, 0o700)
        var linked: [String] = []
        for name in Self.names {
            guard let file = GStreamer.pluginFile(name) else { continue }
            let path = folder + file.dropFirst(DeviceFiles.folder(of: file).count)
            guard CacheFile.target(of: path) == file || CacheFile.link(path, to: file) else { return nil }
            linked.append(name)
        }
        return linked
    }

    /// Writes the stamp, in the process whose GStreamer has read or written the registry of the selection.
    ///
    /// - Parameter plugins: The plugins that the registry must have.
    func confirm(_ fingerprint: String, _ plugins: [String]) {
        let hasAll = plugins.allSatisfy { GStreamer.pluginFile($0) != nil }
        guard hasAll, CacheFile.read(cache) != nil, let state = state(fingerprint) else { return }
        CacheFile.write(state, to: stamp)
    }

    private func state(_ fingerprint: String) -> String? {
        guard let registry = CacheFile.identity(cache), let links = CacheFile.identity(folder) else { return nil }
        return "\(Self.names.joined(separator: " "))\n\(registry)\n\(links)\n\(fingerprint)"
    }
}
