// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import OverlayCompositor
import PipelineKit
import Synchronization
import Testing

/// Layers that change twenty times a second for `OVERLAY_SECONDS` seconds (default 3). From 60 seconds on the test also
/// checks the memory of its process: it must then be the only test that runs.
@Suite struct `A constantly changing overlay` {
    private static let seconds = ProcessInfo.processInfo.environment["OVERLAY_SECONDS"].flatMap(Int.init) ?? 3
    private static let rate = 50

    @Test func `A constantly changing overlay drops no frame, and its memory stays level`() async throws {
        let frames = Self.seconds * Self.rate
        let pipeline = try Pipeline(
            "videotestsrc is-live=true num-buffers=\(frames) ! video/x-raw,format=I420,width=640,height=480,"
                + "framerate=\(Self.rate)/1 ! capsfilter name=overlay ! fakesink name=out sync=false")
        let overlay = Overlay(try RasterProcess.built())
        let pad = try #require(try pipeline.element(named: "overlay").pad("src"))
        try overlay.attach(to: pad)
        let arrivals = Mutex<[ClockTime]>([])
        try pad.probeBuffers { buffer in
            if let time = buffer.presentationTime { arrivals.withLock { $0.append(time) } }
            return .pass
        }
        let failures = Task { await overlay.events.reduce(into: 0) { if case .failed = $1 { $0 += 1 } } }
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        let memory = Mutex<[Int]>([])
        let changing = Task {
            for number in 0... {
                guard !Task.isCancelled else { return }
                Self.change(overlay, number)
                if number % 20 == 0 { memory.withLock { $0.append(Self.residentBytes) } }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        for await message in messages { if case .endOfStream = message.content { break } }
        changing.cancel()
        overlay.detach()
        try await pipeline.stop()
        let times = arrivals.withLock { $0 }
        #expect(times.count == frames)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .seconds(1) / Self.rate }, "no frame is left out")
        if Self.seconds >= 60 { Self.checkLevel(memory.withLock { $0 }) }
        failures.cancel()
        #expect(await failures.value == 0)
    }

    /// Allocations at the start are done after a third of the run. A short run is one of many tests, whose memory it
    /// would include.
    private static func checkLevel(_ levels: [Int]) {
        let levels = levels.dropFirst(levels.count / 3)
        #expect((levels.last ?? 0) - (levels.first ?? 0) < 16 << 20, "\(levels)")
    }

    private static func change(_ overlay: Overlay, _ number: Int) {
        overlay.set(["count": "\(number)"])
        var layers = [
            Layer("count", .text(TextTemplate("{count}")), Placement(position: .center, size: 0.3)),
            Layer("clock", .text(TextTemplate("%H:%M:%S")), Placement(position: UnitPoint(1, 1))),
            Layer("grid", .grid(number % 2 == 0 ? .thirds : .golden)),
        ]
        if number % 3 == 0 { layers.append(Layer("bars", .letterbox(aspect: 2.39))) }
        overlay.show(layers)
    }

    private static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}
