// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureKit

@Suite("A camera that is looked for again")
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

    /// The camera as it was, on the first node of a tree that is gone.
    private func known() throws -> Camera {
        let before = try FakeTree()
        try before.add(0, title: "Webcam", usb: "1-1", serial: "A")
        let catalog = CameraCatalog(tree: before.tree) { _ throws(CaptureError) in Self.front }
        var camera = try catalog.resolve(before.dev("video0"))
        camera.path = fake.dev("video0")
        return camera
    }

    @Test("is found on the node that it had")
    func sameNode() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "A")
        #expect(try catalog([0: .success(Self.front)]).find(again: camera).path == camera.path)
    }

    @Test("is found on another node, and the camera that has its node now is not taken for it")
    func moved() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-2", serial: "B")
        try fake.add(3, title: "Webcam", usb: "1-1", serial: "A")
        let catalog = catalog([0: .success(Self.back), 3: .success(Self.front)])
        #expect(try catalog.find(again: camera).path == fake.dev("video3"))
    }

    @Test("is refused where only another is there, which is named")
    func another() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-2", serial: "B")
        let catalog = catalog([0: .success(Self.back)])
        let error = #expect(throws: CaptureError.self) { try catalog.find(again: camera) }
        #expect(error?.code == .noCamera)
        #expect(error?.message.contains("another camera") == true)
        #expect(error?.subject == camera.path)
    }

    @Test("with the same name and maker but another serial number is another")
    func serial() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "B")
        #expect(throws: CaptureError.self) { try catalog([0: .success(Self.front)]).find(again: camera) }
    }

    @Test("that may not be opened now says so")
    func denied() throws {
        let camera = try known()
        try fake.add(0, title: "Webcam", usb: "1-1", serial: "A")
        let denied = CaptureError(.permission, "permission denied")
        let error = #expect(throws: CaptureError.self) { try catalog([0: .failure(denied)]).find(again: camera) }
        #expect(error == denied)
    }

    @Test("that is not there says so")
    func nothing() throws {
        let camera = try known()
        let nowhere = DeviceTree(sysfs: "/nonexistent", dev: "/nonexistent", udev: "/nonexistent")
        let error = #expect(throws: CaptureError.self) { try CameraCatalog(tree: nowhere).find(again: camera) }
        #expect(error?.code == .noCamera)
    }
}
