// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Synchronization
import Testing

@testable import CameraKit

@Suite("The camera catalog")
struct CameraCatalogTests {
    private let fake: FakeTree
    private let opened = Opened()

    init() throws { fake = try FakeTree() }

    /// The names of the opened nodes.
    private final class Opened: Sendable {
        private let names = Mutex<[String]>([])
        var list: [String] { names.withLock { $0 } }
        func append(_ path: String) { names.withLock { $0.append(DeviceFiles.name(of: path)) } }
    }

    private func catalog(_ answers: [Int: Result<NodeReport?, CaptureError>]) -> CameraCatalog {
        CameraCatalog(tree: fake.tree) { [opened] path throws(CaptureError) in
            opened.append(path)
            let number = Int(DeviceFiles.name(of: path).dropFirst("video".count)) ?? -1
            return try (answers[number] ?? .success(nil)).get()
        }
    }

    private func twoCameras() throws -> CameraCatalog {
        try fake.add(0, title: "Front")
        try fake.add(1, title: "Front metadata", index: 1)
        try fake.add(10, title: "Back")
        return catalog([
            0: .success(.camera("Front Camera", busInfo: "platform:front")), 1: .success(nil),
            10: .success(.camera("Back Camera", busInfo: "platform:back")),
        ])
    }

    @Test("Cameras are listed by the number of their node, without other nodes, and the scene is last")
    func listing() throws {
        #expect(try twoCameras().cameras().map(\.id) == ["platform-front", "platform-back", "scene"])
    }

    @Test("Without cameras, and even without the folders, only the scene is listed")
    func nothing() {
        let nowhere = DeviceTree(sysfs: "/nonexistent/sys", dev: "/nonexistent/dev", udev: "/nonexistent/udev")
        #expect(CameraCatalog(tree: nowhere).cameras().map(\.id) == ["scene"])
    }

    @Test("A camera that may not be opened is listed with the problem")
    func problem() throws {
        try fake.add(0, title: "Front", capabilities: ":capture:")
        try fake.add(1, title: "Front", index: 1, capabilities: ":")
        let denied = CaptureError(.permission, "permission denied")
        let cameras = catalog([0: .failure(denied), 1: .failure(denied)]).cameras()
        #expect(cameras.map(\.name) == ["Front", "Built-in test scene"])
        #expect(cameras[0].problem == denied)
        #expect(!cameras[0].isUsable)
    }

    @Test("Cameras with the same description get different identities")
    func collisions() throws {
        for node in 0...2 { try fake.add(node) }
        let ids = catalog([0: .success(.camera()), 1: .success(.camera()), 2: .success(.camera())]).cameras().map(\.id)
        #expect(Set(ids).count == 4)
    }

    @Test("Twins are named by their ports, since udev's link by serial may lead to either")
    func twins() throws {
        try fake.add(0, usb: "1-1", serial: "SN0001")
        try fake.add(2, usb: "1-2", serial: "SN0001")
        try fake.link(id: "usb-cheap_SN0001-video-index0", to: 2)
        try fake.link(path: "pci-usb-0:1:1.0-video-index0", to: 0)
        try fake.link(path: "pci-usb-0:2:1.0-video-index0", to: 2)
        let cameras = catalog([0: .success(.camera()), 2: .success(.camera())]).cameras()
        #expect(cameras.map(\.id).dropLast() == ["pci-usb-0:1:1.0-video-index0", "pci-usb-0:2:1.0-video-index0"])
        #expect(cameras[1].serial == "SN0001")
    }

    @Test(
        "A camera is found by its identity, its number, its node or part of its name",
        arguments: [
            ("platform-back", 10), ("10", 10), ("video10", 10), ("back", 10), ("FRONT", 0), ("Front Camera", 0),
            (" platform-front ", 0),
        ])
    func resolving(text: String, node: Int) throws {
        #expect(try twoCameras().resolve(text).path == fake.dev("video\(node)"))
    }

    @Test("A camera is found by path and link, and no other node is opened")
    func paths() throws {
        let catalog = try twoCameras()
        try fake.link(id: "usb-back", to: 10)
        for text in [fake.dev("video10"), fake.dev("v4l/by-id/usb-back"), "usb-back", "10"] {
            #expect(try catalog.resolve(text).id == "usb-back")
        }
        #expect(Set(opened.list) == ["video10"])
    }

    @Test("The camera auto is the first usable one, and none after it is opened")
    func automatic() throws {
        #expect(try twoCameras().resolve("auto").id == "platform-front")
        #expect(opened.list == ["video0"])
    }

    @Test("The camera auto is missing if there is no camera, and is never the scene")
    func automaticWithoutCamera() throws {
        let none = catalog([:])
        let error = #expect(throws: CaptureError.self) { try none.resolve("auto") }
        #expect(error?.code == .noCamera)
        #expect(try catalog([:]).resolve("scene") == .scene)
    }

    @Test("The camera auto skips nodes that deliver no picture alone")
    func stages() throws {
        try fake.add(0)
        try fake.add(1)
        try fake.add(2)
        let catalog = catalog([
            0: .success(.camera(flags: 0x2400_0001)), 1: .success(.camera(fourcc: "RGGB")),
            2: .success(.camera(busInfo: "usb-1")),
        ])
        #expect(try catalog.resolve("auto").id == "usb-1")
    }

    @Test("The camera auto reports the error of the only camera, and is never the scene")
    func blocked() throws {
        try fake.add(0)
        let denied = CaptureError(.permission, "permission denied")
        let catalog = catalog([0: .failure(denied)])
        #expect(throws: denied) { try catalog.resolve("auto") }
        #expect(throws: CaptureError(.permission, "permission denied", subject: "video0")) {
            do { _ = try catalog.resolve("0") } catch let error as CaptureError {
                throw CaptureError(error.code, error.message, subject: error.subject.map(DeviceFiles.name(of:)))
            }
        }
    }

    @Test("A text that matches several cameras is refused with the candidates")
    func ambiguous() throws {
        let catalog = try twoCameras()
        let error = #expect(throws: CaptureError.self) { try catalog.resolve("camera") }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("platform-front") == true)
        #expect(error?.message.contains("platform-back") == true)
    }

    @Test("A text that matches no camera is refused with the cameras, and with the nearest")
    func unknown() throws {
        let catalog = try twoCameras()
        let error = #expect(throws: CaptureError.self) { try catalog.resolve("platform-bakc") }
        #expect(error?.code == .noCamera)
        #expect(error?.message.contains("platform-front") == true)
        #expect(error?.advice == "did you mean platform-back?")
    }

    @Test(
        "Hostile texts are refused without a trap",
        arguments: [
            "", " ", "/", "//", "../../etc/passwd", "/dev/null", "/dev/video99", "99999999999999999999", "\u{0}",
            "a\nb",
            "-1", "💥", String(repeating: "x", count: 10000), "/nonexistent/\(String(repeating: "y", count: 5000))",
        ])
    func hostile(text: String) throws {
        let catalog = try twoCameras()
        let error = #expect(throws: CaptureError.self) { try catalog.resolve(text) }
        #expect([.noCamera, .usage, .inputOutput].contains(error?.code))
    }

    @Test(
        "GStreamer's device providers are needed only for names, not for numbers, paths in /dev and the scene",
        arguments: [
            ("0", false), (" 12\n", false), ("/dev/video0", false), (" /dev/video0", false), ("scene", false),
            ("scene ", false), ("auto", true), ("video0", true), ("1-1", true), ("/base/soc/i2c0mux/imx708@1a", true),
        ])
    func providers(text: String, areNeeded: Bool) {
        #expect(CameraCatalog.needsProviders(text) == areNeeded)
    }

    @Test("A path that is not a V4L2 device is refused")
    func foreign() {
        let catalog = CameraCatalog()
        for path in ["/dev/null", "/dev/tty", "/etc/passwd", "/"] {
            let error = #expect(throws: CaptureError.self) { try catalog.resolve(path) }
            #expect(error?.code == .noCamera)
        }
    }
}
