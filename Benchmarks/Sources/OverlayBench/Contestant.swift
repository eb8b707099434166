// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import PipelineKit

/// A pipeline whose frames are timed.
final class Contestant {
    /// The same pipeline without the overlay.
    enum Base: String {
        /// Nothing between source and sink.
        case bare
        /// A probe that maps each frame and leaves it as it is.
        case mapped
    }

    let name: String
    /// The variant, if there are several.
    let note: String
    /// The base whose time is subtracted; `nil` if the contestant is itself a base.
    let base: Base?
    /// The base that this contestant is, if any.
    var role: Base? { Base(rawValue: name) }
    let line: Line
    /// The overlay, retained while the contestant exists.
    private let overlay: Overlay?

    init(_ name: String, _ note: String = "", minus base: Base?, _ line: Line, _ overlay: Overlay? = nil) {
        (self.name, self.note, self.base, self.line, self.overlay) = (name, note, base, line, overlay)
    }
}

// MARK: - Ours, and its references

extension Contestant {
    /// Ours with and without a pipeline, and the pipelines without ours.
    static func pipelines(_ scene: Scene, _ supply: FrameSupply) async throws -> [Contestant] {
        let plan = try await Scene.plan(scene.layers, supply.kind)
        return [
            try await bare(supply), try await mapped(supply),
            try await ours(scene.layers, supply), try await kernel(plan, supply),
        ]
    }

    static func bare(_ supply: FrameSupply) async throws -> Contestant {
        Contestant("bare", minus: nil, try await Line(supply))
    }

    /// The overlay as programs use it, on a pad.
    static func ours(_ layers: [Layer], _ supply: FrameSupply, name: String = "ours") async throws -> Contestant {
        let overlay = Overlay(CairoRasterizer())
        let line = try await Line(supply) { _, end in
            overlay.show(layers)
            try overlay.attach(to: end)
        }
        for await event in overlay.events {
            if case .failed(_, let error) = event { throw error }
            if try line.inspect().changed > 0 { break }
        }
        return Contestant(name, "on a pad", minus: .bare, line, overlay)
    }

    /// A probe that maps each frame and processes it.
    static func probe(
        _ name: String, _ note: String, minus base: Base?, _ supply: FrameSupply,
        _ body: @escaping @Sendable (inout WritableVideoFrame) -> Void
    ) async throws -> Contestant {
        let info = try supply.kind.info()
        let line = try await Line(supply) { _, end in
            try end.probeBuffers { buffer in
                try? buffer.withWritableVideoFrame(info) { body(&$0) }
                return .pass
            }
        }
        return Contestant(name, note, minus: base, line)
    }

    static func mapped(_ supply: FrameSupply) async throws -> Contestant {
        try await probe("mapped", "", minus: nil, supply) { _ in }
    }

    /// The blending alone.
    static func kernel(_ plan: OverlayPlan, _ supply: FrameSupply) async throws -> Contestant {
        try await probe("kernel", "blending alone", minus: .mapped, supply) { plan.blend(into: &$0) }
    }

    /// A copy of each plane, from warm memory.
    static func copy(_ supply: FrameSupply) async throws -> Contestant {
        let source = FrameMemory(byteCount: try supply.kind.info().byteCount)
        return try await probe("memcpy", "of one frame", minus: .mapped, supply) { source.copy(into: &$0) }
    }

    /// Sixteen bytes written unconditionally wherever the plan changes bytes.
    static func floor(_ places: StorePlaces, _ supply: FrameSupply) async throws -> Contestant {
        try await probe("floor", "a blind store", minus: .mapped, supply) { places.store(into: &$0) }
    }
}
