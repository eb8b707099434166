// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// A probe on a pad. It stays until ``remove()``, ``ProbeVerdict/remove`` or the end of the pad, even if the program
/// releases this handle.
///
/// `@unchecked Sendable`: a weak reference that GObject keeps, and immutable fields.
public final class PadProbe: @unchecked Sendable {
    // Weak: the probe's closure often captures the object that holds this handle, and a strong reference would then
    // keep the pad forever.
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

    /// The pad on which the probe is or was; `nil` after the end of the pad.
    var owner: Pad? { g_weak_ref_get(pad).map { Pad($0, .full) } }

    /// Removes the probe (`gst_pad_remove_probe`). A run in progress on another thread may end after this returns. A
    /// second call has no effect, nor does a call after ``ProbeVerdict/remove`` or the end of the pad.
    public func remove() {
        guard let alive = g_weak_ref_get(pad) else { return }
        defer { g_object_unref(alive) }
        if life.end() { gst_pad_remove_probe(alive.assumingMemoryBound(to: GstPad.self), identifier) }
    }
}

/// The state of a probe. If several callers remove the probe, only the first succeeds.
final class ProbeLife: Sendable {
    private let isOver = Atomic(false)

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Returns `true` to the first caller.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The closure of a probe. GStreamer owns one reference, which `releaseProbe` releases.
private final class ProbeBox: Sendable {
    typealias Body = @Sendable (UnsafeMutablePointer<GstPadProbeInfo>, ProbeLife) -> GstPadProbeReturn

    let life = ProbeLife()
    let body: Body

    init(_ body: @escaping Body) { self.body = body }
}

extension Pad {
    /// Adds a probe whose `body` receives GStreamer's `GstPadProbeInfo`.
    func addProbe(
        _ kinds: [GstPadProbeType],
        _ body: @escaping @Sendable (UnsafeMutablePointer<GstPadProbeInfo>, ProbeLife) -> GstPadProbeReturn
    ) throws(PipelineError) -> PadProbe {
        let box = ProbeBox(body)
        let mask = GstPadProbeType(rawValue: kinds.reduce(0) { $0 | $1.rawValue })
        // GStreamer calls `releaseProbe` when the probe ends.
        let identifier = gst_pad_add_probe(cast(), mask, runProbe, Unmanaged.passRetained(box).toOpaque(), releaseProbe)
        // A probe that has run and ended in the meantime has no identifier.
        guard identifier != 0 || box.life.hasEnded else { throw failure(.notFound, "does not accept a probe") }
        return PadProbe(self, identifier, box.life)
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func runProbe(
    _ pad: UnsafeMutablePointer<GstPad>?, _ info: UnsafeMutablePointer<GstPadProbeInfo>?, _ data: gpointer?
) -> GstPadProbeReturn {
    guard let data, let info else { return GST_PAD_PROBE_OK }
    let box = Unmanaged<ProbeBox>.fromOpaque(data).takeUnretainedValue()
    return box.life.hasEnded ? GST_PAD_PROBE_OK : box.body(info, box.life)
}

private func releaseProbe(_ data: gpointer?) {
    if let data { Unmanaged<ProbeBox>.fromOpaque(data).release() }
}
