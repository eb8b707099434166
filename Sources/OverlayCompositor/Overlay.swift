// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Layers over the frames that pass a pad, blended in place by a probe.
///
/// Everything may be called from any thread, returns at once, and takes effect between two frames: what is drawn is
/// prepared elsewhere, and the frames go on meanwhile with what was there before.
public final class Overlay: Sendable {
    /// What happened to the layers. One task may iterate it.
    public let events: AsyncStream<OverlayEvent>

    private let rasteriser: any Rasteriser
    private let announce: AsyncStream<OverlayEvent>.Continuation

    /// Creates an overlay without layers, on no pad.
    public init(_ rasteriser: any Rasteriser) {
        self.rasteriser = rasteriser
        (events, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Draws on what passes this pad from now on. The pad's frames should be fresh, as behind a converter: shared ones
    /// are copied.
    public func attach(to pad: Pad) throws(PipelineError) {}

    /// Draws no more on the pad.
    public func detach() {}

    /// Draws these layers in place of those before, in this order; ghosts and what dims come first.
    public func show(_ layers: [Layer], appearance: Style = Style()) {}

    /// Says what placeholders in texts stand for, in place of all that was said before.
    public func set(_ values: [String: String]) {}
}

/// What happened to the layers of an ``Overlay``.
public enum OverlayEvent: Sendable {
    /// The frames show the layers and values of the last call, but for those that failed.
    case drawn
    /// A layer cannot be drawn; the others are, and of it what was there before.
    case failed(layer: String, OverlayError)
}
