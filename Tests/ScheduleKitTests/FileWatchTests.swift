// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Dispatch
import Foundation
import Testing

@testable import ScheduleKit

@Suite("A watch on a file", .timeLimit(.minutes(5)))
struct FileWatchTests {
    @Test("A file watch reports a file that is written, replaced, linked to another, or removed and created again")
    func changes() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a", "1")
        try folder.write("b", "1")
        try folder.link("zone", to: "a")
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let watch = try #require(
            FileWatch(folder.path + "/zone", on: DispatchQueue(label: "test")) { report.yield() })
        var iterator = reports.makeAsyncIterator()
        // The watch covers the folder, too: it may report changes of other files.
        try folder.write("a", "2")
        await iterator.next()
        try folder.link("new", to: "b")
        try #require(rename(folder.path + "/new", folder.path + "/zone") == 0)
        await iterator.next()
        try folder.write("b", "3")
        await iterator.next()
        try folder.remove("zone")
        try folder.write("zone", "4")
        await iterator.next()
        watch.end()
    }
}
