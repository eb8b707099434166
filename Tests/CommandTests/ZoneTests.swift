// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(
    "The machine's time zone", .timeLimit(.minutes(5)),
    .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
struct ZoneTests {
    /// A zone with one offset (`tzfile(5)`, version 1).
    private func zone(_ hours: UInt8) -> Data {
        let head = Data("TZif".utf8) + Data(count: 16) + Data(count: 16) + Data([0, 0, 0, 1, 0, 0, 0, 4])
        let seconds = UInt32(hours) * 3600
        let offset = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (24 - 8 * $0)) }
        return head + Data(offset + [0, 0]) + Data("ABC\0".utf8)
    }

    @Test("A series follows a change of the zone while it runs")
    func change() async throws {
        let command = try Command()
        let file = command.folder.appendingPathComponent("zone")
        try zone(2).write(to: file)
        // The C library compares the file's time in seconds.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
        let space = try MountSpace()
        try space.run("mount", "--bind", file.path, "/etc/localtime")
        let process = try RunningCommand(
            [
                "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "200ms", "--json",
                "-o", "%n.jpg", "--ledger", "off",
            ], in: command.folder, launcher: space.launcher)
        let first: String = try #require(try await process.event("captured")["at"])
        #expect(first.hasSuffix("+02:00"), "\(first)")
        // Written in place, as this file is mounted.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: zone(9))
        try handle.close()
        while true {
            let at: String = try #require(try await process.event("captured")["at"])
            if at.hasSuffix("+09:00") { break }
        }
        process.finish()
        #expect(await process.outcome().status == 0)
    }
}
