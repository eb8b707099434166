// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Synchronization
import Testing

@testable import CameraKit

@Suite("Finding a camera again")
struct FindingAgainTests {
    private let fake: FakeTree

    init() throws { fake = try FakeTree() }

    private func catalog(_ answers: [Int: Result<NodeReport?, CaptureError>]) -> CameraCatalog {
        CameraCatalog(tree: fake.tree) { path throws(CaptureError) in
            let number = Int(DeviceFiles.name(of: path).dropFirst("video".count)) ?? -1
            return try (answers[number] ?? .success(nil)).get()
        }
    }

    private static let front = NodeReport.camera("Webcam", busInfo: "usb-1")
    private static let back = NodeReport.camera("Webcam", busInfo: "usb-2")

    /// The camera as an earlier run found it, on the first node of a tree that no longer exists.
    private func known() throws -> Camera {
        let before = try FakeTree()
        try before.add(0, title: "Webcam", usb: "1-1", serial: "A")
        let catalog = CameraCatalog(tree: before.tree) { _ throws(CaptureError) in Self.front }
        var camera = try catalog.resolve(before.dev("video0"))
        camera.path = fake.dev("video0")
        return camera
    }

    @Test("A camera is found on the node that it had before")
    func sameNode() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "A")
        #expect(try catalog([0: .success(Self.front)]).find(again: camera).path == camera.path)
    }

    @Test("A camera is found on another node, and not confused with the camera on its former node")
    func moved() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-2", serial: "B")
        try fake.add(3, title: "Webcam", usb: "1-1", serial: "A")
        let catalog = catalog([0: .success(Self.back), 3: .success(Self.front)])
        #expect(try catalog.find(again: camera).path == fake.dev("video3"))
    }

    @Test("A camera is not found if only another camera is connected, and the error says so")
    func another() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-2", serial: "B")
        let catalog = catalog([0: .success(Self.back)])
        let error = #expect(throws: CaptureError.self) { try catalog.find(again: camera) }
        #expect(error?.code == .noCamera)
        #expect(error?.message.contains("another camera") == true)
        #expect(error?.subject == camera.path)
    }

    @Test("A camera is found by its serial number in another port, while a twin has its old node and port")
    func otherPort() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "B")
        try fake.add(3, title: "Webcam", usb: "1-5", serial: "A")
        let catalog = catalog([0: .success(Self.front), 3: .success(Self.back)])
        let found = try catalog.find(again: camera)
        #expect(found.path == fake.dev("video3"))
        #expect(found.id == camera.id)
        #expect(try catalog.find(again: found).path == fake.dev("video3"))
    }

    @Test("A camera is found without opening any other node")
    func opensOne() throws {
        let camera = try known()
        for (node, serial) in [(0, "B"), (1, "C"), (3, "A")] {
            try fake.add(node, title: "Webcam", usb: "1-\(node + 2)", serial: serial)
        }
        let opened = Mutex<[String]>([])
        let catalog = CameraCatalog(tree: fake.tree) { path throws(CaptureError) in
            opened.withLock { $0.append(path) }
            return Self.front
        }
        #expect(try catalog.find(again: camera).path == fake.dev("video3"))
        #expect(opened.withLock { $0 } == [fake.dev("video3")])
    }

    @Test("A twin with another serial number is refused, and the message states both numbers")
    func twin() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "B")
        let error = #expect(throws: CaptureError.self) { try catalog([0: .success(Self.front)]).find(again: camera) }
        #expect(
            error?.message
                == "is another camera now, Webcam (serial number B), not Webcam (serial number A)")
        #expect(error?.advice?.hasPrefix("reconnect Webcam, or start with --camera ") == true)
    }

    @Test("A camera without a serial number is not followed to another port; the message names both ports")
    func withoutSerial() throws {
        let before = try FakeTree()
        try before.add(0, title: "Webcam", usb: "1-1")
        let camera = try CameraCatalog(tree: before.tree) { _ throws(CaptureError) in Self.front }.resolve("0")
        try fake.add(0, title: "Webcam", usb: "1-5")
        let error = #expect(throws: CaptureError.self) { try catalog([0: .success(Self.back)]).find(again: camera) }
        #expect(
            error?.message
                == "is not in its port 1, and has no serial number, so it is known only by its port; 5 has a camera like it"
        )
        try fake.add(2, title: "Webcam", usb: "1-1")
        #expect(try catalog([2: .success(Self.front)]).find(again: camera).path == fake.dev("video2"))
    }

    @Test("A camera with the serial number of a twin is identified by its port, even without the twin")
    func sharedSerial() throws {
        let before = try FakeTree()
        for (node, port) in [(0, "1-1"), (2, "1-2")] { try before.add(node, title: "Webcam", usb: port, serial: "0") }
        let catalog = CameraCatalog(tree: before.tree) { _ throws(CaptureError) in Self.front }
        let camera = try catalog.resolve("0")
        try fake.add(0, title: "Webcam", usb: "1-2", serial: "0")
        let answers: [Int: Result<NodeReport?, CaptureError>] = [0: .success(Self.back), 1: .success(Self.front)]
        let error = #expect(throws: CaptureError.self) { try self.catalog(answers).find(again: camera) }
        #expect(error?.message.contains("shares its serial number with another camera") == true)

        try fake.add(1, title: "Webcam", usb: "1-1", serial: "0")
        let found = try self.catalog(answers).find(again: camera)
        #expect(found.path == fake.dev("video1"))
        #expect(found.hardware.usb?.hasTwin == true)
    }

    @Test("A camera of the same name and maker with another serial number is not the known camera")
    func serial() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "B")
        #expect(throws: CaptureError.self) { try catalog([0: .success(Self.front)]).find(again: camera) }
    }

    @Test("The search for a camera that may not be opened throws the error of the opening")
    func denied() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "A")
        let denied = CaptureError(.permission, "permission denied")
        let error = #expect(throws: CaptureError.self) { try catalog([0: .failure(denied)]).find(again: camera) }
        #expect(error == denied)
    }

    @Test("The search for a camera that is not connected throws an error")
    func nothing() throws {
        let camera = try known()
        let nowhere = DeviceTree(sysfs: "/nonexistent", dev: "/nonexistent", udev: "/nonexistent")
        let error = #expect(throws: CaptureError.self) { try CameraCatalog(tree: nowhere).find(again: camera) }
        #expect(error?.code == .noCamera)
    }
}
