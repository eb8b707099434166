// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import MetricsKit
import ProgramTestSupport
import Testing

@testable import ServeKit

@Suite("Packaging of the service", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let analyzer = "/usr/bin/systemd-analyze"
    private static let hasAnalyzer = FileManager.default.isExecutableFile(atPath: analyzer)

    private func run(_ line: String...) async throws -> (status: Int32, text: String) {
        let output = Pipe()
        let process = try ChildProgram(line, in: Self.root, output: .pipe(output), error: .pipe(output))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (await process.status(), text)
    }

    /// Installs with programs and generated files of the test, in place of those of `make build`.
    private func make(
        _ target: String, _ folder: URL, prefix: String = "/usr"
    ) async throws -> (status: Int32, text: String) {
        let (full, share) = (folder.appendingPathComponent("full"), folder.appendingPathComponent("share"))
        for (parent, names) in [
            (full, ["gst-capture", "gst-capture-raster", "gst-capture-serve", "libgstoutline.so"]),
            (share, ["gst-capture.1", "gst-capture.bash", "gst-capture.zsh", "gst-capture.fish"]),
        ] {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            for name in names { try Data("#!/bin/true\n".utf8).write(to: parent.appendingPathComponent(name)) }
        }
        return try await run(
            "make", target, "FULL=\(full.path)", "SHARE=\(share.path)", "DESTDIR=\(folder.path)/root",
            "PREFIX=\(prefix)")
    }

    @Test(
        "make install installs the service with its units and example, keeps a configuration, and make uninstall removes it"
    )
    func install() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let installed = try await make("install", folder)
        #expect(installed.status == 0, "\(installed.text)")
        let root = folder.appendingPathComponent("root")
        let architecture = try await run("dpkg-architecture", "-q", "DEB_HOST_MULTIARCH").text.dropLast()
        let files = [
            "usr/libexec/gst-capture/gst-capture-serve", "usr/lib/systemd/system/gst-capture-serve.service",
            "usr/lib/systemd/system/gst-capture-serve.socket", "usr/lib/sysusers.d/gst-capture.conf",
            "usr/lib/tmpfiles.d/gst-capture.conf", "etc/gst-capture-serve.yaml",
            "usr/share/gst-capture/prometheus/gst-capture.rules.yml", "usr/share/gst-capture/grafana/gst-capture.json",
            "usr/lib/\(architecture)/gstreamer-1.0/libgstoutline.so", "usr/lib/systemd/system/gst-capture-send.service",
            "usr/share/gst-capture/outbox/immich.yaml",
        ].map { root.appendingPathComponent($0) }
        for file in files { #expect(FileManager.default.fileExists(atPath: file.path), "\(file.path)") }
        let unit = try String(contentsOf: files[1], encoding: .utf8)
        #expect(unit.contains("ExecStart=/usr/bin/gst-capture serve /etc/gst-capture-serve.yaml"))
        // It would be a broken preset there.
        #expect(!FileManager.default.fileExists(atPath: root.path + "/etc/gst-capture"))
        #expect(try await make("uninstall", folder).status == 0)
        for file in files { #expect(!FileManager.default.fileExists(atPath: file.path), "\(file.path)") }
        try Data("cameras: { mine: { camera: scene } }\n".utf8).write(to: files[5])
        #expect(try await make("install", folder).status == 0)
        #expect(try await make("uninstall", folder).status == 0)
        #expect(try String(contentsOf: files[5], encoding: .utf8).contains("mine"))
    }

    @Test("make install moves a configuration that an earlier version put among the presets")
    func earlierPlace() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let earlier = folder.appendingPathComponent("root/etc/gst-capture/serve.yaml")
        try FileManager.default.createDirectory(
            at: earlier.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("cameras: { mine: { camera: scene } }\n".utf8).write(to: earlier)
        let installed = try await make("install", folder)
        #expect(installed.status == 0, "\(installed.text)")
        #expect(!FileManager.default.fileExists(atPath: earlier.path))
        let text = try String(contentsOfFile: folder.path + "/root/etc/gst-capture-serve.yaml", encoding: .utf8)
        #expect(text.contains("mine"))
    }

    @Test("make install with the PREFIX of a user writes into no other folder")
    func privatePrefix() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let installed = try await make("install", folder, prefix: "/home/a/apps")
        #expect(installed.status == 0, "\(installed.text)")
        let root = folder.path + "/root"
        #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["home"])
        let unit = try String(
            contentsOfFile: root + "/home/a/apps/lib/systemd/system/gst-capture-serve.service", encoding: .utf8)
        #expect(unit.contains("serve /home/a/apps/etc/gst-capture-serve.yaml\n"))
        #expect(try await make("uninstall", folder, prefix: "/home/a/apps").status == 0)
        #expect(!FileManager.default.fileExists(atPath: root + "/home/a/apps/etc/gst-capture-serve.yaml"))
    }

    @Test("The example configuration is correct")
    func example() async throws {
        let program = ServedProgram.built("gst-capture-serve").path
        let result = try await run(program, "packaging/serve.yaml", "--check")
        #expect(result.status == 0 && result.text.contains("camera first"), "\(result.text)")
    }

    @Test(
        "systemd-analyze finds no fault in the units, and rates the service as safe",
        .enabled(if: hasAnalyzer, "systemd-analyze is not installed; scripts/setup test installs it"))
    func units() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let programs = folder.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("gst-capture"), withDestinationURL: ServedProgram.built("gst-capture"))
        var paths: [String] = []
        for name in ["gst-capture-serve.service", "gst-capture-send.service", "gst-capture-serve.socket"] {
            let source = Self.root.appendingPathComponent("packaging/\(name)")
            let text = try String(contentsOf: source, encoding: .utf8).replacing("@PREFIX@", with: folder.path)
                .replacing("@SYSCONFDIR@", with: folder.path)
            let unit = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: unit)
            paths.append(unit.path)
        }
        let verified = try await run(Self.analyzer, "verify", "--man=no", paths[0], paths[1], paths[2])
        #expect(verified.status == 0 && verified.text.isEmpty, "\(verified.text)")
        // The threshold is ten times the exposure, which is at most 10.
        for service in paths.prefix(2) {
            let rated = try await run(Self.analyzer, "security", "--offline=true", "--threshold=14", service)
            #expect(rated.status == 0, "\(rated.text)")
        }
    }

    @Test(
        "The alerts are correct, and ring in time",
        .enabled(if: Promtool.isInstalled, "promtool is not installed; scripts/setup test installs it"))
    func alerts() async throws {
        let folder = Self.root.appendingPathComponent("packaging/prometheus").path
        let checked = try await Promtool.run(["check", "rules", folder + "/gst-capture.rules.yml"])
        #expect(checked.status == 0, "\(checked.output)")
        let tested = try await Promtool.run(["test", "rules", folder + "/gst-capture.test.yml"])
        #expect(tested.status == 0, "\(tested.output)")
    }

    @Test("The alerts and the dashboard use only metrics that the service has")
    func names() throws {
        let files = ["prometheus/gst-capture.rules.yml", "grafana/gst-capture.json"]
        let known = Set(Metric.all.map(\.name))
        for file in files {
            let url = Self.root.appendingPathComponent("packaging/\(file)")
            let text = try String(contentsOf: url, encoding: .utf8)
            if file.hasSuffix("json") { _ = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
            let used = Set(text.matches(of: /(?:gst_capture|process)_[a-z_]+/).map { String($0.output) })
            let bare = used.map { $0.hasSuffix("_bucket") ? String($0.dropLast(7)) : $0 }
            #expect(bare.allSatisfy(known.contains), "\(file): \(Set(bare).subtracting(known))")
            #expect(bare.count >= 5)
        }
    }
}
#endif
