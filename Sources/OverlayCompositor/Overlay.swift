// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Draws layers on the frames that pass a pad. A probe blends them in place.
///
/// Any thread may call the methods; all except ``close()`` return at once. A change takes effect between two frames:
/// another thread prepares the drawing, and frames show the previous one until it is ready. No frame waits for a
/// drawing. The overlay copies a frame only if its buffer or its memory is shared. Behind a converter that is not in
/// passthrough, neither is shared.
public final class Overlay: Sendable {
    /// The events of the layers. Only one task may iterate them.
    public let events: AsyncStream<OverlayEvent>

    private let continuation: AsyncStream<OverlayEvent>.Continuation
    private let surface = OverlaySurface()
    private let worker: OverlayWorker
    private let probes = Mutex<[PadProbe]>([])
    private let work: Task<Void, Never>

    /// Creates an overlay without layers, attached to no pad.
    ///
    /// - Parameter rasterizer: Draws the layers.
    public init(_ rasterizer: any Rasterizer) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        let worker = OverlayWorker(OverlayPlanner(rasterizer), surface, continuation)
        self.worker = worker
        work = Task { [surface] in for await _ in surface.wishes { await worker.update() } }
    }

    deinit {
        detach()
        work.cancel()
        continuation.finish()
    }

    /// Detaches from the pad, and ends ``events``. Returns when no layer is being drawn any more: a drawing that has
    /// begun is finished first, within the time limit of the rasterizer. A second call has no effect. Do not attach a
    /// pad afterward: changes of the layers no longer take effect.
    ///
    /// Call this before the release of the overlay, which cancels the drawing without waiting for it.
    public func close() async {
        detach()
        work.cancel()
        await work.value
        await worker.close()
        continuation.finish()
    }

    /// Draws on the buffers that pass this pad from now on, and detaches from the previous pad. The pad should be
    /// behind an element that creates new buffers, such as a converter: shared buffers are copied. If several threads
    /// call this at once, the last call wins.
    ///
    /// - Throws: `PipelineError` if the pad accepts no probe; the overlay is then attached to no pad.
    public func attach(to pad: Pad) throws(PipelineError) {
        // Adding or removing probes does not run them, so no probe waits for this lock.
        try probes.withLock { probes throws(PipelineError) in
            Self.remove(&probes)
            let (surface, attachment) = (surface, surface.attach())
            probes.append(
                try pad.probeEvents { event in
                    if case .caps(let caps) = event { surface.setCaps(caps, on: attachment) }
                    return .pass
                })
            // The caps event may have passed before the probe was added.
            if let caps = pad.currentCaps { surface.setCaps(caps, on: attachment) }
            do throws(PipelineError) {
                probes.append(
                    try pad.probeBuffers { buffer in
                        surface.draw(on: &buffer, of: attachment)
                        return .pass
                    })
            } catch {
                Self.remove(&probes)
                throw error
            }
        }
    }

    /// Stops drawing on the pad, and stops updating texts that show the time.
    public func detach() {
        probes.withLock { probes in
            Self.remove(&probes)
            surface.leave()
        }
    }

    private static func remove(_ probes: inout [PadProbe]) {
        for probe in probes { probe.remove() }
        probes = []
    }

    /// Replaces the layers and the appearance. Layers are drawn in this order, but ghosts, dims and letterboxes are
    /// below all others.
    public func show(_ layers: [Layer], appearance: Style = Style()) {
        worker.change { ($0.layers, $0.appearance) = (layers, appearance) }
    }

    /// Replaces the layers, the appearance and the values of placeholders in texts, all between the same two frames.
    public func show(_ layers: [Layer], appearance: Style = Style(), _ values: [String: String]) {
        worker.change { ($0.layers, $0.appearance, $0.values) = (layers, appearance, values) }
    }

    /// Replaces the values of placeholders in texts.
    public func set(_ values: [String: String]) { worker.change { $0.values = values } }

    /// Sets whether the frames are mirrored. If they are, ghosts are mirrored, too; all other layers stay readable.
    public func mirror(_ isOn: Bool) { worker.change { $0.isMirrored = isOn } }
}
