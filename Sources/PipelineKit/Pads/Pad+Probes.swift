// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A probe's decision about the item that it received.
public enum ProbeVerdict: Sendable {
    /// Passes the item on (`GST_PAD_PROBE_OK`).
    case pass
    /// Drops the item (`GST_PAD_PROBE_DROP`).
    case drop
    /// Passes the item on, and removes the probe (`GST_PAD_PROBE_REMOVE`).
    case remove
}

extension Pad {
    /// Calls `body` with every buffer before it passes the pad (`gst_pad_add_probe`), and with each buffer of a buffer
    /// list.
    ///
    /// `body` runs on a streaming thread: it must not wait, change a state or call back into the pipeline, and should
    /// not allocate. It may write the buffer in place, or replace it with another.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the pad does not accept a probe.
    @discardableResult
    public func probeBuffers(
        _ body: @escaping @Sendable (inout ProbedBuffer) -> ProbeVerdict
    ) throws(PipelineError)
        -> PadProbe
    {
        // A pad that splits lists passes each of their buffers to the probe separately.
        let lists = splitsLists ? [] : [GST_PAD_PROBE_TYPE_BUFFER_LIST]
        return try addProbe([GST_PAD_PROBE_TYPE_BUFFER] + lists) { info, life in
            let isList = info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0
            let verdict = isList ? probeList(info, body) : probeBuffer(&info.pointee.data, body)
            return verdict.native(life)
        }
    }

    /// Calls `body` with every event that travels in one direction, flushes included, before the event passes the pad.
    ///
    /// Downstream events arrive on a streaming thread, with the same limits as for buffers. Flushes and upstream events
    /// arrive on the sender's thread, such as the thread of a seek or of a window. The probe does not see events that
    /// passed before it was added: read ``currentCaps`` for the current format.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the pad does not accept a probe.
    @discardableResult
    public func probeEvents(
        _ travel: PadEvent.Travel = .downstream, _ body: @escaping @Sendable (PadEvent) -> ProbeVerdict
    ) throws(PipelineError) -> PadProbe {
        let kind = travel == .downstream ? GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM : GST_PAD_PROBE_TYPE_EVENT_UPSTREAM
        return try addProbe([kind, GST_PAD_PROBE_TYPE_EVENT_FLUSH]) { info, life in
            // Flushes in the other direction arrive here too, and pass.
            guard info.pointee.type.rawValue & kind.rawValue != 0, let event = info.pointee.data else {
                return GST_PAD_PROBE_OK
            }
            return body(PadEvent(event.assumingMemoryBound(to: GstEvent.self))).native(life)
        }
    }

    /// Calls `body` once, when no item is passing the pad, and holds items back while it runs
    /// (`GST_PAD_PROBE_TYPE_IDLE`): elements behind the pad can be linked and unlinked.
    ///
    /// On an idle pad, `body` runs on the calling thread before this returns. On a busy pad, it runs on the streaming
    /// thread, after the push of the current item has returned; if that push never returns, `body` does not run. `body`
    /// must not wait or change a state. ``PadProbe/remove()`` cancels a call that has not begun.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the pad does not accept a probe.
    @discardableResult
    public func whenIdle(_ body: @escaping @Sendable () -> Void) throws(PipelineError) -> PadProbe {
        try addProbe([GST_PAD_PROBE_TYPE_IDLE]) { _, life in
            guard life.end() else { return GST_PAD_PROBE_OK }
            body()
            return GST_PAD_PROBE_REMOVE
        }
    }
}

extension Pad {
    /// `true` if the pad splits buffer lists on arrival, as do the pads of an element without support for lists.
    private var splitsLists: Bool {
        guard direction == .sink else { return false }
        return chainListFunction == Pad.splittingFunction
    }

    /// GStreamer does not export this function, but every new pad has it.
    private static let splittingFunction = Pad(gst_pad_new(nil, GST_PAD_SINK), .floating).chainListFunction

    private var chainListFunction: UInt { UInt(cgst_pad_chain_list_function(cast())) }
}

private typealias BufferBody = (inout ProbedBuffer) -> ProbeVerdict

/// Lends the buffer to `body`, and stores the buffer that `body` leaves. The probe owns the buffer while it runs.
private func probeBuffer(_ item: inout gpointer?, _ body: BufferBody) -> ProbeVerdict {
    guard let pointer = item else { return .pass }
    var buffer = ProbedBuffer(pointer.assumingMemoryBound(to: GstBuffer.self))
    let verdict = body(&buffer)
    item = UnsafeMutableRawPointer(buffer.relinquish())
    return verdict
}

private func probeList(
    _ info: UnsafeMutablePointer<GstPadProbeInfo>, _ body: @escaping BufferBody
) -> ProbeVerdict {
    guard let item = info.pointee.data else { return .pass }
    let list = cgst_buffer_list_make_writable(OpaquePointer(item))
    info.pointee.data = UnsafeMutableRawPointer(list)
    var walk = ListWalk(body: body)
    withUnsafeMutablePointer(to: &walk) { _ = gst_buffer_list_foreach(list, probeListed, $0) }
    if walk.isRemoved { return .remove }
    return gst_buffer_list_length(list) == 0 ? .drop : .pass
}

/// The state of a walk through the buffers of a list.
private struct ListWalk {
    let body: BufferBody
    var isRemoved = false
}

// A free function: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func probeListed(
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<GstBuffer>?>?, _ index: guint, _ data: gpointer?
) -> gboolean {
    guard let place, let walk = data?.assumingMemoryBound(to: ListWalk.self) else { return 0 }
    var item = gpointer(place.pointee)
    let verdict = probeBuffer(&item, walk.pointee.body)
    place.pointee = item?.assumingMemoryBound(to: GstBuffer.self)
    if verdict == .drop, let dropped = place.pointee {
        gst_buffer_unref(dropped)
        place.pointee = nil
    }
    walk.pointee.isRemoved = verdict == .remove
    return verdict == .remove ? 0 : 1
}

extension ProbeVerdict {
    /// GStreamer's value for this verdict. GStreamer must not remove a probe that ``PadProbe/remove()`` has removed
    /// already.
    fileprivate func native(_ life: ProbeLife) -> GstPadProbeReturn {
        switch self {
        case .pass: GST_PAD_PROBE_OK
        case .drop: GST_PAD_PROBE_DROP
        case .remove: life.end() ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK
        }
    }
}
