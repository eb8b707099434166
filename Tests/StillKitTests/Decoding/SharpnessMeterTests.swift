// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import StillKit

@Suite("Measuring the sharpness of frames", .timeLimit(.minutes(5))) struct SharpnessMeterTests {
    @Test("Concurrent requests each return the sharpness of the requested frame")
    func together() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=8 pattern=ball ! video/x-raw,format=I420,width=320,height=240 ! jpegenc "
                + "! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .keepNewest(8))
        try await pipeline.play()
        var samples: [Sample] = []
        while let sample = try await sink.nextSample() { samples.append(sample) }
        try await pipeline.stop()

        var alone: [Double] = []
        for sample in samples { alone.append(await SharpnessMeter().sharpness(of: sample)) }
        try #require(Set(alone).count == 8)
        for _ in 0..<5 {
            let meter = SharpnessMeter()
            let together = await withTaskGroup { group in
                for (index, sample) in samples.enumerated() {
                    group.addTask { (index, await meter.sharpness(of: sample)) }
                }
                return await group.reduce(into: [Int: Double]()) { $0[$1.0] = $1.1 }
            }
            #expect(samples.indices.map { together[$0] } == alone)
        }
    }
}
