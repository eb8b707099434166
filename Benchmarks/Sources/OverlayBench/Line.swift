// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import PipelineKit

/// A pipeline into which frames are pushed on the calling thread: `[element !] sink`, without a separate thread.
final class Line {
    /// The state of a frame after the pipeline.
    typealias Outcome = bench_outcome

    private let supply: FrameSupply
    private let pipeline: Pipeline
    private let sink: Element
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - elements: The elements that process the frames, in gst-launch syntax; empty for none.
    ///   - first: The name of the first element.
    ///   - prepare: Called before the first frame, with the pipeline and the pad of the sink, `end`.
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

    /// Pushes frames; returns when the pipeline has processed them.
    func push(_ frames: Int) throws {
        guard bench_line_push(handle, UInt32(frames)) else { throw BenchError("the pipeline takes no frames") }
    }

    /// Pushes a gray frame, and inspects the output.
    func inspect() throws -> Outcome {
        var outcome = Outcome()
        guard bench_line_inspect(handle, sink.pointer, &outcome) else {
            throw BenchError("the pipeline takes no frames")
        }
        return outcome
    }
}
