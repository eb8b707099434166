// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// A probe on a pad; it stays until ``remove()`` or the end of the pad, even when nobody holds this.
///
/// `@unchecked Sendable`: a weak reference that GObject keeps, and immutable fields.
public final class PadProbe: @unchecked Sendable {
    // Weak, as the probe's closure often is held by those who hold the pad.
    private let pad: UnsafeMutablePointer<GWeakRef>
    private let identifier: gulong
    private let life: ProbeLife

    fileprivate init(_ pad: Pad, _ identifier: gulong, _ life: ProbeLife) {
        self.pad = .allocate(capacity: 1)
        self.identifier = identifier
        self.life = life
        g_weak_ref_init(self.pad, pad.pointer)
    }

    deinit {
        g_weak_ref_clear(pad)
        pad.deallocate()
    }

    /// Takes the probe away (`gst_pad_remove_probe`). A run that is under way on another thread ends after this
    /// returns. A second time, after the answer ``ProbeVerdict/remove`` or the end of the pad, nothing happens.
    public func remove() {
        guard let alive = g_weak_ref_get(pad) else { return }
        defer { g_object_unref(alive) }
        if life.end() { gst_pad_remove_probe(alive.assumingMemoryBound(to: GstPad.self), identifier) }
    }
}

/// Whether a probe is still there: of all who take it away, one does.
final class ProbeLife: Sendable {
    private let isOver = Atomic(false)

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// True for the first who asks.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The Swift side of a probe, which GStreamer keeps and lets go.
private final class ProbeBox: Sendable {
    typealias Body = @Sendable (UnsafeMutablePointer<GstPadProbeInfo>, ProbeLife) -> GstPadProbeReturn

    let life = ProbeLife()
    let body: Body

    init(_ body: @escaping Body) { self.body = body }
}

extension Pad {
    /// Adds a probe that gets GStreamer's own description of what passes.
    func addProbe(
        _ kinds: [GstPadProbeType],
        _ body: @escaping @Sendable (UnsafeMutablePointer<GstPadProbeInfo>, ProbeLife) -> GstPadProbeReturn
    ) throws(PipelineError) -> PadProbe {
        let box = ProbeBox(body)
        let mask = GstPadProbeType(rawValue: kinds.reduce(0) { $0 | $1.rawValue })
        // GStreamer calls `releaseProbe` when the probe ends.
        let identifier = gst_pad_add_probe(cast(), mask, runProbe, Unmanaged.passRetained(box).toOpaque(), releaseProbe)
        guard identifier != 0 else { throw failure(.notFound, "takes no probe") }
        return PadProbe(self, identifier, box.life)
    }
}

// Free functions: a closure literal could inherit an actor's isolation and die on a streaming thread.
private func runProbe(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let data, let info, info.pointee.data != nil else { return GST_PAD_PROBE_OK }
    let box = Unmanaged<ProbeBox>.fromOpaque(data).takeUnretainedValue()
    return box.life.hasEnded ? GST_PAD_PROBE_OK : box.body(info, box.life)
}

private func releaseProbe(_ data: gpointer?) {
    if let data { Unmanaged<ProbeBox>.fromOpaque(data).release() }
}
