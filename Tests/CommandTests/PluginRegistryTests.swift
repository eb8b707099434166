// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import gst_capture

@Suite("GStreamer's registry")
final class PluginRegistryTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("registry-\(UUID())")
        for name in ["plugins", "devices"] {
            try FileManager.default.createDirectory(at: path(name), withIntermediateDirectories: true)
        }
        for name in ["cache", "devices/video0", "devices/tty0"] { try write("", to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> URL { folder.appendingPathComponent(name) }

    private func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: path(name)) }

    private func registry(version: String = "1.22.0", variable: String = "LADSPA_PATH=/a") -> PluginRegistry {
        PluginRegistry(
            cache: path("cache").path, stamp: path("caches/stamp").path,
            folders: ["plugins", "none"].map { path($0).path }, devices: [(path("devices").path, ["video"])],
            conditions: [version, variable])
    }

    /// Simulates a start of the command: it compares the fingerprint, lets GStreamer check, and confirms.
    ///
    /// - Parameter finding: The change that GStreamer's check writes to the registry; `nil` if it changes nothing.
    /// - Returns: `true` if GStreamer's check was skipped.
    @discardableResult
    private func start(_ registry: PluginRegistry, finding: String? = nil) -> Bool {
        let before = registry.fingerprint
        if registry.isCurrent(before) { return true }
        if let finding { try? write(finding, to: "cache") }
        registry.confirm(before)
        return false
    }

    @Test("GStreamer checks the registry at the first start, and not at the next ones")
    func unchanged() {
        #expect(!start(registry()))
        #expect(start(registry()))
        #expect(start(registry()))
    }

    @Test("A reboot, which makes a new device folder with the same nodes, needs no check")
    func reboot() throws {
        start(registry())
        try FileManager.default.removeItem(at: path("devices"))
        try FileManager.default.createDirectory(at: path("devices"), withIntermediateDirectories: true)
        for name in ["devices/tty0", "devices/tty1", "devices/video0"] { try write("", to: name) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date.distantFuture], ofItemAtPath: path("devices").path)
        #expect(start(registry()))
    }

    @Test(
        "A change that affects plugins needs one check",
        arguments: [
            "a new plugin", "a new video node", "a video node that is gone", "a registry that another program wrote",
            "a damaged stamp", "another GStreamer", "another variable",
        ])
    func changes(_ change: String) throws {
        start(registry())
        var changed = registry()
        switch change {
        case "a new plugin": try write("", to: "plugins/libgstnew.so")
        case "a new video node": try write("", to: "devices/video1")
        case "a video node that is gone": try FileManager.default.removeItem(at: path("devices/video0"))
        case "a registry that another program wrote":
            try write("other", to: "cache.new")
            try #require(rename(path("cache.new").path, path("cache").path) == 0)
        case "a damaged stamp": try write("?", to: "caches/stamp")
        case "another GStreamer": changed = registry(version: "1.24.0")
        default: changed = registry(variable: "LADSPA_PATH=/b")
        }
        #expect(!start(changed))
        #expect(start(changed))
    }

    @Test("A check that changes the registry is not confirmed, and the next start checks again")
    func changedByCheck() throws {
        #expect(!start(registry(), finding: "a longer registry"))
        #expect(!start(registry()))
        #expect(start(registry()))
    }

    @Test("Without a registry, or with a read-only cache folder, each start checks")
    func unwritable() throws {
        try FileManager.default.removeItem(at: path("cache"))
        #expect(!start(registry()))
        #expect(!start(registry()))
        try write("", to: "cache")
        try write("a file", to: "caches")
        #expect(!start(registry()))
        #expect(!start(registry()))
    }

    @Test("A capture writes a stamp, and later captures do not change it")
    func command() async throws {
        let command = try Command()
        let environment = ["XDG_CACHE_HOME": command.folder.path + "/caches", "GST_REGISTRY_FORK": "no"]
        var stamps: [Data] = []
        for number in 0..<4 {
            let outcome = try await command.run(
                "snap", "--camera", "scene", "-o", "\(number).jpg", environment: environment)
            #expect(outcome.status == 0)
            stamps.append((try? command.bytes("caches/gst-capture/registry")) ?? Data())
        }
        // The first start writes the registry, the second finds nothing to change.
        #expect(stamps[0].isEmpty)
        #expect(String(decoding: stamps[1], as: UTF8.self).contains("registry"))
        #expect(stamps[2] == stamps[1] && stamps[3] == stamps[1])
    }
}
