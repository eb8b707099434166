// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import HookKit
import PipelineKit

/// GStreamer's registry of plugins, a file that it reads when it starts.
///
/// GStreamer then checks each plugin file, and the files and devices that plugins depend on. That takes some 300 system
/// calls, and after a boot a new scan of plugins that depend on folders of `/dev`. A stamp records the state in which
/// GStreamer last found nothing to change; the command skips the check while the state is the same.
struct PluginRegistry {
    /// The path of GStreamer's file.
    let cache: String
    /// The path of the stamp.
    let stamp: String
    /// Folders of plugins, and folders that plugins depend on. An installation changes the modification time of each.
    let folders: [String]
    /// Folders of devices, with the prefixes of the names that plugins look for. `/dev` is new after each boot, so only
    /// the names count, as they do for GStreamer.
    let devices: [(folder: String, prefixes: [String])]
    /// The versions of GStreamer and the kernel, and the variables that plugins depend on.
    let conditions: [String]

    /// The current state of the registry as text; `nil` if there is no registry.
    var fingerprint: String? {
        guard let file = CacheFile.identity(cache) else { return nil }
        let times = folders.compactMap { path in CacheFile.identity(path).map { "\(path) \($0)" } }
        let nodes = devices.flatMap { folder, prefixes in
            let names = DeviceFiles.names(in: folder).filter { name in prefixes.contains { name.hasPrefix($0) } }
            return names.map { "\(folder)/\($0)" }
        }
        return (["1", "\(cache) \(file)"] + times + nodes.sorted() + conditions).joined(separator: "\n") + "\n"
    }

    /// Returns `true` if GStreamer can skip the check of a registry with this fingerprint.
    func isCurrent(_ fingerprint: String?) -> Bool { fingerprint != nil && CacheFile.read(stamp) == fingerprint }

    /// Writes the stamp if the registry is as it was before GStreamer started: GStreamer has checked it, and found
    /// nothing to change. If the stamp cannot be written, the next start is slower, and nothing else changes.
    func confirm(_ before: String?) {
        guard let before, before == fingerprint else { return }
        CacheFile.write(before, to: stamp)
    }
}

extension PluginRegistry {
    /// The work that remains once GStreamer has started: the stamp of its check, or a selection of plugins.
    struct Check {
        fileprivate let registry: PluginRegistry
        fileprivate let fingerprint: String?
        fileprivate let isCurrent: Bool

        /// Completes the start. This blocks, usually for at most a tenth of a second; while plugins are selected, for
        /// up to ten seconds if a video device does not answer.
        func confirm() {
            if isCurrent, let fingerprint {
                registry.selection.make(fingerprint)
            } else {
                registry.confirm(fingerprint)
            }
        }
    }

    /// Shortens GStreamer's start: GStreamer skips its check if it would find nothing to change, and reads only the
    /// plugins of the selection if they suffice. This sets environment variables: call it before GStreamer starts, and
    /// before there are threads.
    ///
    /// - Parameter isPlain: `true` if the plugins of a ``PluginSelection`` suffice.
    /// - Returns: The check to confirm after GStreamer's start; `nil` for none.
    func shortenStart(isPlain: Bool) -> Check? {
        guard let fingerprint, isCurrent(fingerprint) else {
            return Check(registry: self, fingerprint: fingerprint, isCurrent: false)
        }
        if isPlain, selection.use(fingerprint) { return nil }
        OwnVariables.set("GST_REGISTRY_UPDATE", "no")
        return isPlain ? Check(registry: self, fingerprint: fingerprint, isCurrent: true) : nil
    }

    /// The selection of plugins; it lies next to the stamp.
    private var selection: PluginSelection {
        PluginSelection(in: DeviceFiles.folder(of: stamp))
    }
}

// MARK: The registry of the user

extension PluginRegistry {
    /// The registry of this user; `nil` if `HOME` is not set, or if a variable decides whether GStreamer checks the
    /// registry, or moves plugins or the registry elsewhere. Plugins in such a place may be under development:
    /// overwriting one in place changes no folder.
    static var standard: PluginRegistry? {
        let moving = ["GST_REGISTRY", "GST_PLUGIN_PATH", "GST_PLUGIN_SYSTEM_PATH"].flatMap { [$0, $0 + "_1_0"] }
        let deciding = [
            "GST_REGISTRY_UPDATE", "GST_REGISTRY_DISABLE", "GST_PLUGIN_LOADING_WHITELIST", "LD_LIBRARY_PATH",
        ]
        guard (moving + deciding).allSatisfy({ variable($0) == nil }), let home = variable("HOME") else {
            return nil
        }
        let caches = variable("XDG_CACHE_HOME") ?? home + "/.cache"
        let data = variable("XDG_DATA_HOME") ?? home + "/.local/share"
        let kernel = Kernel()
        return PluginRegistry(
            cache: "\(caches)/gstreamer-1.0/registry.\(kernel.machine).bin", stamp: "\(caches)/gst-capture/registry",
            folders: folders(kernel.machine) + [data + "/gstreamer-1.0/plugins"]
                + [".frei0r-1/lib", ".ladspa", ".lv2", ".libvisual/actor"].map { "\(home)/\($0)" },
            devices: [("/dev", ["video", "media", "nvidia"]), ("/dev/dri", [""]), ("/dev/v4l2", [""])],
            conditions: [GStreamer.version, kernel.version] + variables())
    }

    /// Returns the folders in which distributions install plugins of GStreamer, and those of the plugins that
    /// GStreamer's plugins load.
    private static func folders(_ machine: String) -> [String] {
        let libraries = ["/usr", "/usr/local"].flatMap { prefix in
            ["lib/\(machine)-linux-gnu", "lib/arm-linux-gnueabihf", "lib64", "lib"].map { "\(prefix)/\($0)" }
        }
        let plugins = ["gstreamer-1.0", "dri", "frei0r-1", "ladspa", "lv2", "libvisual-0.4/actor", "gio/modules"]
        return libraries.flatMap { library in plugins.map { "\(library)/\($0)" } }
    }

    /// Returns the variables that plugins depend on: `LIBVA_DRIVER_NAME`, `LADSPA_PATH` and the like.
    private static func variables() -> [String] {
        var (found, index): ([String], Int) = ([], 0)
        while let entry = environ[index] {
            index += 1
            let text = String(cString: entry)
            let name = text.prefix { $0 != "=" }
            let isMeant = name.hasPrefix("GST_") || name.hasPrefix("LIBVA_") || name.hasSuffix("_PATH")
            if isMeant, !name.hasPrefix("GST_CAPTURE_") { found.append(text) }
        }
        return found.sorted()
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The machine and the version of the kernel (`uname`): another kernel may have other drivers for codecs.
    private struct Kernel {
        let machine: String
        let version: String

        init() {
            var names = utsname()
            uname(&names)
            machine = Self.text(names.machine)
            version = "\(Self.text(names.release)) \(Self.text(names.version))"
        }

        private static func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }
}
