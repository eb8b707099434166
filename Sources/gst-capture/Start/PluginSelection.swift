// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The few plugins of GStreamer that a plain capture needs, with a registry of their own.
///
/// GStreamer's registry describes all plugins, about 250 with Debian's packages, and GStreamer reads all of it at each
/// start. A plain capture uses a dozen of them. After a start with the whole registry, the command links these plugins
/// into a folder and starts a second process, in which GStreamer writes their registry. Later starts read that one.
///
/// A stamp holds the fingerprint of the whole registry at that time (``PluginRegistry``). If anything differs, GStreamer
/// starts with the whole registry, and the plugins are selected again.
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

    private static let variables = ["GST_REGISTRY_1_0", "GST_PLUGIN_SYSTEM_PATH_1_0", "GST_REGISTRY_UPDATE"]

    /// `true` if a command captures with our own pipelines: no option, variable or preset brings other elements.
    static func suits(_ arguments: [String]) -> Bool {
        guard arguments.first == "snap" || arguments.first == "timelapse" else { return false }
        let variables = ["GST_CAPTURE_SOURCE", "GST_CAPTURE_DECODE", "GST_CAPTURE_PRESET"]
        let options = ["--source", "--decode", "--preset", "-p"]
        return variables.allSatisfy { getenv($0) == nil }
            && !arguments.contains { argument in options.contains { argument.hasPrefix($0) } }
    }

    /// Lets GStreamer read the registry of the selection if it is current. This sets environment variables: call it
    /// before GStreamer starts, and before there are threads.
    ///
    /// - Parameter fingerprint: That of the whole registry now.
    /// - Returns: `true` if GStreamer reads the selection's registry, without a check.
    func use(_ fingerprint: String) -> Bool {
        guard let state = state(fingerprint), CacheFile.read(stamp) == state else { return false }
        for (name, value) in zip(Self.variables, [cache, folder, "no"]) { setenv(name, value, 0) }
        return true
    }

    /// `true` for an environment variable that ``use(_:)`` set, which other programs must not inherit.
    static func isOwn(_ line: String) -> Bool {
        guard let registry = getenv(variables[0]), String(cString: registry).hasSuffix("/gst-capture/plugins.bin")
        else { return false }
        return variables.contains { line.hasPrefix($0 + "=") }
    }

    /// Links the plugins, and waits for the process that writes their registry and the stamp. Call it when GStreamer
    /// has started with the whole registry. If this process ends meanwhile, the other one continues.
    ///
    /// Cameras of libcamera need its plugin, and the plugins that its device provider needs: if it is installed, there
    /// is no selection.
    func make(_ fingerprint: String) {
        guard !GStreamer.hasElement("libcamerasrc"), let files = link() else { return }
        let environment = ["HOME", "PATH", "XDG_DATA_HOME"].compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let child = try? ChildProcess(
            "/proc/self/exe",
            arguments: ["gst-capture", RecordPluginsCommand.name, cache, stamp, fingerprint] + files,
            environment: environment + ["GST_REGISTRY_1_0=" + cache, "GST_PLUGIN_SYSTEM_PATH_1_0=" + folder],
            streams: [.null, .null, .null])
        child?.reap()
    }

    /// Links each plugin that is installed. Returns the names of the plugins; `nil` if a link cannot be created. A link
    /// that is right stays: another capture could be loading it.
    private func link() -> [String]? {
        mkdir(folder, 0o700)
        var linked: [String] = []
        for name in Self.names {
            guard let file = GStreamer.pluginFile(name) else { continue }
            let path = folder + file[(file.lastIndex(of: "/") ?? file.startIndex)...]
            if CacheFile.target(of: path) != file {
                let temporary = "\(path).\(getpid())"
                guard symlink(file, temporary) == 0, rename(temporary, path) == 0 else { return nil }
            }
            linked.append(name)
        }
        return linked
    }

    /// Writes the stamp, in the process whose GStreamer has read or written the registry at `cache`.
    ///
    /// - Parameter names: The plugins that the registry must have.
    static func confirm(cache: String, stamp: String, _ fingerprint: String, _ names: [String]) {
        guard names.allSatisfy({ GStreamer.pluginFile($0) != nil }), let identity = CacheFile.identity(cache) else {
            return
        }
        CacheFile.write(state(fingerprint, identity), to: stamp)
    }

    private func state(_ fingerprint: String) -> String? {
        CacheFile.identity(cache).map { Self.state(fingerprint, $0) }
    }

    private static func state(_ fingerprint: String, _ identity: String) -> String {
        "\(names.joined(separator: " "))\n\(identity)\n\(fingerprint)"
    }
}
