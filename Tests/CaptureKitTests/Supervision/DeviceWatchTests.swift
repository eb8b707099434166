// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import CaptureKit

@Suite("The watch for devices", .timeLimit(.minutes(5)))
struct DeviceWatchTests {
    @Test("A video node that appears is told, and other nodes are not")
    func appears() async throws {
        let folder = try TemporaryFolder()
        let watch = try #require(DeviceWatch(folder: folder.path))
        try Data().write(to: URL(fileURLWithPath: folder.path + "/tty7"))
        try Data().write(to: URL(fileURLWithPath: folder.path + "/video7"))
        var happenings = watch.happenings.makeAsyncIterator()
        let first = await happenings.next()
        #expect(first == .appeared || first == .released)
        watch.end()
        while let other = await happenings.next() { #expect([.appeared, .released].contains(other)) }
    }

    @Test("A node that a program lets go of is told")
    func released() async throws {
        let folder = try TemporaryFolder()
        let node = folder.path + "/video0"
        try Data().write(to: URL(fileURLWithPath: node))
        let watch = try #require(DeviceWatch(folder: folder.path))
        let handle = try #require(FileHandle(forReadingAtPath: node))
        try handle.close()
        var happenings = watch.happenings.makeAsyncIterator()
        #expect(await happenings.next() == .released)
    }

    @Test("There is no watch on what is not there")
    func noFolder() { #expect(DeviceWatch(folder: "/nonexistent") == nil) }

    @Test("Events that are cut off, or none, are no harm")
    func hostile() {
        var random = SplitMix(7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes.withUnsafeBytes { _ = DeviceWatch.parse($0) }
        }
    }
}
