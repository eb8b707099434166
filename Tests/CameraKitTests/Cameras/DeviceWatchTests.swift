// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import CameraKit

@Suite("The watch for devices", .timeLimit(.minutes(5)))
struct DeviceWatchTests {
    private let fake: FakeTree

    init() throws { fake = try FakeTree() }

    @Test("A video node that appears emits an event, and other nodes do not")
    func appears() async throws {
        let watch = try #require(DeviceWatch(fake.tree))
        try fake.write("", to: "dev/tty7")
        try fake.write("", to: "dev/video7")
        var events = watch.events.makeAsyncIterator()
        let first = await events.next()
        #expect(first == .appeared || first == .released)
        watch.end()
        while let other = await events.next() { #expect([.appeared, .released].contains(other)) }
    }

    @Test("A node that a program closes emits an event")
    func released() async throws {
        try fake.write("", to: "dev/video0")
        let watch = try #require(DeviceWatch(fake.tree))
        let handle = try #require(FileHandle(forReadingAtPath: fake.dev("video0")))
        try handle.close()
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .released)
    }

    @Test("A link that udev makes after the node emits an event")
    func link() async throws {
        try fake.write("", to: "dev/video0")
        let watch = try #require(DeviceWatch(fake.tree))
        try fake.link(id: "usb-Lab_Webcam_A-video-index0", to: 0)
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .appeared)
    }

    @Test("A link emits an event even if udev has removed and created the folder of links")
    func linkFolder() async throws {
        let watch = try #require(DeviceWatch(fake.tree))
        try FileManager.default.removeItem(atPath: fake.dev("v4l"))
        try FileManager.default.createDirectory(atPath: fake.dev("v4l/by-path"), withIntermediateDirectories: true)
        try fake.link(path: "platform-vivid.0-video-index0", to: 0)
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .appeared)
    }

    @Test("A udev record of a video node emits an event, and other records do not")
    func record() async throws {
        let watch = try #require(DeviceWatch(fake.tree))
        try fake.write("", to: "udev/b8:0")
        try fake.write("E:ID_V4L_CAPABILITIES=:capture:\n", to: "udev/c81:0")
        var events = watch.events.makeAsyncIterator()
        #expect(await events.next() == .appeared)
    }

    @Test("A folder of nodes that does not exist cannot be watched; a folder of records may be missing")
    func missingFolders() {
        #expect(DeviceWatch(DeviceTree(dev: "/nonexistent")) == nil)
        #expect(DeviceWatch(DeviceTree(dev: fake.tree.dev, udev: "/nonexistent")) != nil)
    }
}
