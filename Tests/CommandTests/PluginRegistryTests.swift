// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import gst_capture

@Suite("GStreamer's registry")
struct PluginRegistryTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("registry-\(UUID())")
        for name in ["plugins", "devices"] {
            let url = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        try Data().write(to: folder.appendingPathComponent("cache"))
    }

    private var registry: PluginRegistry {
        PluginRegistry(
            cache: folder.path + "/cache", sources: ["plugins", "devices", "none"].map { "\(folder.path)/\($0)" })
    }

    private func date(_ name: String, _ seconds: TimeInterval) throws {
        let date = Date(timeIntervalSince1970: seconds)
        try FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: folder.appendingPathComponent(name).path)
    }

    @Test("is current where it is newer than all that it stands for, and only then")
    func newer() throws {
        for (name, time) in [("plugins", 100.0), ("devices", 200), ("cache", 300)] { try date(name, time) }
        #expect(registry.isCurrent)
        try date("devices", 301)
        #expect(!registry.isCurrent)
        try date("devices", 300)
        #expect(!registry.isCurrent)
    }

    @Test("is not current where there is none")
    func missing() throws {
        try FileManager.default.removeItem(atPath: folder.path + "/cache")
        #expect(!registry.isCurrent)
    }
}
