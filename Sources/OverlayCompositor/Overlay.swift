// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Layers over the frames that pass a pad, blended in place by a probe.
///
/// Everything may be called from any thread, returns at once, and takes effect between two frames: what is drawn is
/// prepared elsewhere, and the frames go on meanwhile with what was there before. A frame is never waited for, nor
/// copied where its buffer is fresh, as behind a converter.
public final class Overlay: Sendable {
    /// What happened to the layers. One task may iterate it.
    public let events: AsyncStream<OverlayEvent>

    private let announce: AsyncStream<OverlayEvent>.Continuation
    private let surface = OverlaySurface()
    private let contents: AsyncStream<OverlayContents>.Continuation
    private let desired = Mutex(OverlayContents())
    private let probes = Mutex<[PadProbe]>([])
    private let work: [Task<Void, Never>]

    /// Creates an overlay without layers, on no pad.
    ///
    /// - Parameter rasteriser: What draws its layers.
    public init(_ rasteriser: any Rasteriser) {
        (events, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        let stream: AsyncStream<OverlayContents>
        (stream, contents) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let worker = OverlayWorker(OverlayPlanner(rasteriser), surface, announce)
        work = [
            Task { for await contents in stream { await worker.show(contents) } },
            Task { [surface] in for await _ in surface.wishes { await worker.update() } },
        ]
    }

    deinit {
        detach()
        for task in work { task.cancel() }
        announce.finish()
    }

    /// Draws on what passes this pad from now on, and no more on another. The pad's frames should be fresh, as behind a
    /// converter: shared ones are copied. Of several calls at once the last one counts.
    ///
    /// - Throws: ``PipelineError`` if the pad takes no probe; the overlay then is on no pad.
    public func attach(to pad: Pad) throws(PipelineError) {
        // Adding and removing probes calls none of them, so no probe waits for this lock.
        try probes.withLock { probes throws(PipelineError) in
            Self.remove(&probes)
            let (surface, attachment) = (surface, surface.attach())
            probes.append(
                try pad.probeEvents { event in
                    if case .caps(let caps) = event { surface.meet(caps, on: attachment) }
                    return .pass
                })
            // The caps event may have passed before the probe was added.
            if let caps = pad.currentCaps { surface.meet(caps, on: attachment) }
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

    /// Draws no more on the pad, and no more seconds of a clock.
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

    /// Draws these layers in place of those before, in this order; ghosts, and what darkens or covers, come first.
    public func show(_ layers: [Layer], appearance: Style = Style()) {
        change { contents in (contents.layers, contents.appearance) = (layers, appearance) }
    }

    /// Draws these layers, and says what placeholders in their texts stand for, both between the same two frames.
    public func show(_ layers: [Layer], appearance: Style = Style(), _ values: [String: String]) {
        change { ($0.layers, $0.appearance, $0.values) = (layers, appearance, values) }
    }

    /// Says what placeholders in texts stand for, in place of all that was said before.
    public func set(_ values: [String: String]) { change { $0.values = values } }

    /// Says whether the frames are as in a mirror: ghosts then are, too. All else stays as it reads.
    public func mirror(_ isOn: Bool) { change { $0.isMirrored = isOn } }

    private func change(_ body: (inout OverlayContents) -> Void) {
        desired.withLock { desired in
            body(&desired)
            contents.yield(desired)
        }
    }
}
