// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// GStreamer's registry of plugins, a file that it reads when it starts.
///
/// GStreamer then looks at each plugin, and at what its elements depend on, for what has changed: hundreds of files,
/// a tenth of the time that a picture takes. The folders tell as well, since an installation changes them.
struct PluginRegistry {
    /// The file.
    let cache: String
    /// What may not be newer: folders of plugins, and of the devices and drivers that elements stand for.
    let sources: [String]

    /// True where nothing has changed since the file was written.
    var isCurrent: Bool {
        guard let written = Self.changed(cache) else { return false }
        return sources.compactMap(Self.changed).allSatisfy { $0 < written }
    }

    /// Saves GStreamer the look, where it would find nothing (`GST_REGISTRY_UPDATE`). Before it starts, and before
    /// there are threads: it changes a variable of the environment.
    func trustIfCurrent() {
        if isCurrent { setenv("GST_REGISTRY_UPDATE", "no", 0) }
    }

    /// When a file, or the entries of a folder, changed last, in nanoseconds; `nil` where it is not there.
    private static func changed(_ path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}

extension PluginRegistry {
    /// The user's own, with GStreamer where distributions put it; `nil` where a variable moves things elsewhere.
    static var standard: PluginRegistry? {
        let moving = ["GST_REGISTRY", "GST_PLUGIN_PATH", "GST_PLUGIN_SYSTEM_PATH"].flatMap { [$0, $0 + "_1_0"] }
        guard (moving + ["LD_LIBRARY_PATH"]).allSatisfy({ variable($0) == nil }), let home = variable("HOME") else {
            return nil
        }
        let cache = variable("XDG_CACHE_HOME") ?? home + "/.cache"
        let data = variable("XDG_DATA_HOME") ?? home + "/.local/share"
        let libraries = ["/usr", "/usr/local"].flatMap { prefix in
            ["lib/\(machine)-linux-gnu", "lib/arm-linux-gnueabihf", "lib64", "lib"].map { "\(prefix)/\($0)" }
        }
        return PluginRegistry(
            cache: "\(cache)/gstreamer-1.0/registry.\(machine).bin",
            sources: libraries.flatMap { [$0 + "/gstreamer-1.0", $0 + "/dri"] } + [
                data + "/gstreamer-1.0/plugins", "/dev", "/dev/dri",
            ])
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The processor, as the file's name has it (`uname`).
    private static var machine: String {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
