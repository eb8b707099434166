// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import CaptureKit

@Suite(.timeLimit(.minutes(2))) struct `The repetition of frames` {
    @Test func `The newest frame is put again, and the next one follows at once`() async throws {
        let frames = try (0..<3).map { try Sample(Buffer([UInt8($0)]), caps: Caps("x/frame")) }
        let (puts, continuation) = AsyncStream.makeStream(of: Sample.self)
        let repeater = FrameRepeater { continuation.yield($0) }
        repeater.put(frames[0])
        repeater.put(frames[1])
        let running = Task { await repeater.run() }
        defer { running.cancel() }
        var seen: [Sample] = []
        for await sample in puts {
            seen.append(sample)
            if seen.count == 4 { repeater.put(frames[2]) }
            if seen.last == frames[2], seen.dropLast().last == frames[2] { break }
        }
        #expect(seen.prefix(4).elementsEqual([frames[0], frames[1], frames[1], frames[1]]))
        #expect(!seen.drop { $0 != frames[2] }.contains(frames[1]))
    }
}
