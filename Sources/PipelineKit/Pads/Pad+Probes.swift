// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// What a probe wants done with the item it saw.
public enum ProbeVerdict: Sendable {
    /// Let it go on (`GST_PAD_PROBE_OK`).
    case pass
    /// Let this one not go on (`GST_PAD_PROBE_DROP`).
    case drop
    /// Let it go on, and take the probe away (`GST_PAD_PROBE_REMOVE`).
    case remove
}

extension Pad {
    /// Calls `body` with every buffer that passes, before it goes on (`gst_pad_add_probe`); with those of a list one by
    /// one.
    ///
    /// It runs on a streaming thread: no waiting, no change of state, no call back into the pipeline, and best no
    /// allocation. It may write the buffer in place, or put another in its place.
    @discardableResult
    public func probeBuffers(
        _ body: @escaping @Sendable (inout ProbedBuffer) -> ProbeVerdict
    ) throws(PipelineError)
        -> PadProbe
    {
        // A pad that splits lists shows each buffer again by itself.
        let lists = splitsLists ? [] : [GST_PAD_PROBE_TYPE_BUFFER_LIST]
        return try addProbe([GST_PAD_PROBE_TYPE_BUFFER] + lists) { info, life in
            let isList = info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER_LIST.rawValue != 0
            let verdict = isList ? probeList(info, body) : probeBuffer(&info.pointee.data, body)
            return verdict.native(life)
        }
    }

    /// Calls `body` with every event that passes in one direction, before it goes on, flushes included.
    ///
    /// Downstream events come on a streaming thread: the same holds as for buffers. Upstream events come on the thread of
    /// whoever sends them, such as that of a window. What has passed before is not told: ask ``currentCaps`` for the
    /// format that flows already.
    @discardableResult
    public func probeEvents(
        _ travel: PadEvent.Travel = .downstream, _ body: @escaping @Sendable (PadEvent) -> ProbeVerdict
    ) throws(PipelineError) -> PadProbe {
        let kind = travel == .downstream ? GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM : GST_PAD_PROBE_TYPE_EVENT_UPSTREAM
        return try addProbe([kind, GST_PAD_PROBE_TYPE_EVENT_FLUSH]) { info, life in
            // Flushes that travel the other way come too, and pass.
            guard info.pointee.type.rawValue & kind.rawValue != 0, let event = info.pointee.data else {
                return GST_PAD_PROBE_OK
            }
            return body(PadEvent(event.assumingMemoryBound(to: GstEvent.self))).native(life)
        }
    }
}

extension Pad {
    /// True where a list of buffers is taken apart on its way in, as a pad does whose element knows no lists.
    private var splitsLists: Bool {
        guard direction == .sink else { return false }
        return chainListFunction == Pad.splittingFunction
    }

    /// GStreamer keeps this function to itself: every new pad has it.
    private static let splittingFunction = Pad(gst_pad_new(nil, GST_PAD_SINK), .floating).chainListFunction

    private var chainListFunction: UInt { UInt(cgst_pad_chain_list_function(cast())) }
}

private typealias BufferBody = (inout ProbedBuffer) -> ProbeVerdict

/// The probe owns the buffer while it runs: what it hands back is what goes on.
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

/// What is needed to look at the buffers of a list, one after the other.
private struct ListWalk {
    let body: BufferBody
    var isRemoved = false
}

// A free function: a closure literal could inherit an actor's isolation and die on a streaming thread.
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
    /// What GStreamer is told: it must not take away what ``PadProbe/remove()`` has taken away meanwhile.
    fileprivate func native(_ life: ProbeLife) -> GstPadProbeReturn {
        switch self {
        case .pass: GST_PAD_PROBE_OK
        case .drop: GST_PAD_PROBE_DROP
        case .remove: life.end() ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK
        }
    }
}
