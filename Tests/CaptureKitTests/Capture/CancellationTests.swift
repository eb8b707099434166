// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureKit

@Suite("A capture whose task is canceled", .timeLimit(.minutes(5)))
struct CancellationTests {
    /// Small frames, a hundred each second.
    private static let source = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=100/1"

    /// A series of a million pictures. A source that is silent for seconds does not stall: the machine may stand still.
    private static func configuration(_ output: CaptureConfiguration.Output) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment(source), output: output)
        (configuration.settle, configuration.stallLimit) = (.off, .seconds(300))
        configuration.schedule = .every(.milliseconds(20), count: 1_000_000)
        return configuration
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `A capture canceled at any point ends, and accounts for each picture`(seed: UInt64) async throws {
        var random = SplitMix(seed)
        let (event, turns) = (Int.random(in: 0..<30, using: &random), Int.random(in: 0..<40, using: &random))
        let folder = try TemporaryFolder()
        let template = try FileNameTemplate(parsing: folder.path + "/%03n.jpg")
        let controller = CaptureController(Self.configuration(.files(template)))

        let running = Task { await controller.run() }
        if event == 0 { running.cancel() }
        var events: [CaptureEvent] = []
        for await next in controller.events {
            events.append(next)
            guard events.count == event else { continue }
            for _ in 0..<turns { await Task.yield() }
            running.cancel()
        }

        let record = CaptureRecord(summary: await running.value, events: events)
        #expect(record.summary.ending == .stopped && record.isConsistent)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == record.captured.count)
        #expect(Set(record.begun).isSubset(of: record.captured + record.missed + record.failed))
    }

    @Test func `The cancellation of one waiting task ends the capture for all tasks that wait`() async {
        let controller = CaptureController(Self.configuration(.caller))
        let first = Task { await controller.run() }
        let second = Task { await controller.run() }
        for await event in controller.events {
            if case .captured = event { second.cancel() }
        }
        #expect(await first.value.ending == .stopped)
        #expect(await second.value.captured == first.value.captured)
    }
}
