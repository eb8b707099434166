// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import PipelineKit

/// A pipeline that frames are pushed through on the calling thread: `[element !] sink`, without a thread of its own.
final class Line {
    /// What a frame is after it went through.
    typealias Outcome = bench_outcome

    private let supply: FrameSupply
    private let pipeline: Pipeline
    private let sink: Element
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - elements: What the frames go through, in gst-launch syntax; empty for nothing.
    ///   - first: The name of the one that they enter.
    ///   - prepare: Called before the first frame, with the pipeline; for what belongs to the sink's pad, `end`.
    init(
        _ supply: FrameSupply, _ elements: String = "", first: String = "end",
        prepare: (_ pipeline: Pipeline, _ end: Pad) throws -> Void = { _, _ in }
    ) async throws {
        self.supply = supply
        let sink = "fakesink name=end sync=false async=false enable-last-sample=false"
        pipeline = try Pipeline(([elements].filter { !$0.isEmpty } + [sink]).joined(separator: " ! "))
        self.sink = try pipeline.element(named: "end")
        let first = try pipeline.element(named: first)
        guard let end = self.sink.pad("sink") else { throw BenchError("the sink has no pad") }
        try prepare(pipeline, end)
        try await pipeline.play()
        guard let handle = bench_line_new(first.pointer, supply.handle) else {
            throw BenchError("\(elements) does not take frames of \(supply.kind)")
        }
        self.handle = handle
    }

    deinit {
        bench_line_free(handle)
        pipeline.stopSoon()
    }

    /// Pushes frames, and returns when they are through.
    func push(_ frames: Int) throws {
        guard bench_line_push(handle, UInt32(frames)) else { throw BenchError("the pipeline takes no frames") }
    }

    /// Pushes a grey frame, and looks at what comes out.
    func inspect() throws -> Outcome {
        var outcome = Outcome()
        guard bench_line_inspect(handle, sink.pointer, &outcome) else {
            throw BenchError("the pipeline takes no frames")
        }
        return outcome
    }
}
