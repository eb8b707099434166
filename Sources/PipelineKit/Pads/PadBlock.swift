// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Dispatch
import Synchronization

/// A blocked pad; see ``Pad/block(at:_:)``.
///
/// The pad is blocked while this handle exists. ``end()`` unblocks it at once, on any thread; the release of the handle
/// unblocks it soon afterward, in the background.
public final class PadBlock: Sendable {
    /// The items at which a pad blocks.
    public enum Point: Sendable {
        /// The next buffer, buffer list or downstream event (`GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM`).
        case anyItem
        /// The next buffer or buffer list; events pass.
        case buffer
    }

    private let probe: PadProbe
    private let state: BlockState

    fileprivate init(_ probe: PadProbe, _ state: BlockState) { (self.probe, self.state) = (probe, state) }

    deinit {
        guard !state.hasEnded else { return }
        state.end()
        // GStreamer releases a probe's closure under the lock of its pad. If such a closure holds this handle, removing
        // the probe here would lock the pad again.
        DispatchQueue.global().async { [probe] in probe.remove() }
    }

    /// `true` from the first item that the pad holds back to the end of the block, even after a flush or a stop has
    /// discarded that item. It becomes `true` when the closure of ``Pad/block(at:_:)`` has returned.
    public var isHolding: Bool { state.isHolding }

    /// Waits until the pad holds an item back. Returns `true` then; `false` when the block or the pad ends, when the
    /// pipeline is stopped or released, and when the task is canceled.
    ///
    /// The pipeline is the one that contains the pad when the wait begins. While it runs without data, the wait does
    /// not end: use ``Pad/whenIdle(_:)`` for a pad that may be idle.
    public func waitUntilHolding() async -> Bool {
        probe.owner.flatMap { Bus.ofPipeline(containing: $0) }?.register(state.wakeup)
        while !Task.isCancelled {
            let signals = state.wakeup.signals
            if state.isHolding { return true }
            if state.wakeup.isClosed { return false }
            await state.wakeup.wait(after: signals)
        }
        return false
    }

    /// Unblocks the pad (`gst_pad_remove_probe`): the item that it holds passes. A second call has no effect, nor does
    /// a call after the end of the pad.
    public func end() {
        probe.remove()
        state.end()
    }
}

extension Pad {
    /// `true` if a block or an idle probe that has not run yet is on the pad, whether or not data has arrived
    /// (`gst_pad_is_blocked`).
    public var isBlocked: Bool { gst_pad_is_blocked(cast()) != 0 }

    /// Blocks the pad at the next item, until the end of the returned handle (`GST_PAD_PROBE_TYPE_BLOCK`).
    ///
    /// The thread that brings the item waits in GStreamer, and the elements behind the pad can be replaced meanwhile.
    /// Upstream events and flushes pass. A flush discards the item, and the pad blocks again at the next one. A block
    /// does not delay ``Pipeline/stop(deadline:)``.
    ///
    /// - Parameters:
    ///   - point: The items at which the pad blocks.
    ///   - body: Runs once, on the streaming thread, when the first item has arrived. It may link and unlink elements,
    ///     but must not wait or change a state.
    /// - Returns: The block. It ends when the program releases this handle.
    /// - Throws: ``PipelineError/Code/notFound`` if the pad does not accept a probe.
    public func block(
        at point: PadBlock.Point = .anyItem, _ body: @escaping @Sendable () -> Void = {}
    ) throws(PipelineError) -> PadBlock {
        let events = point == .anyItem ? [GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM] : []
        let kinds = [GST_PAD_PROBE_TYPE_BLOCK, GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST] + events
        let state = BlockState()
        let lifetime = BlockLifetime(state)
        let probe = try addProbe(kinds) { _, _ in
            lifetime.state.hold(body)
            return GST_PAD_PROBE_OK
        }
        return PadBlock(probe, state)
    }
}

/// The state that the streaming thread shares with a block.
private final class BlockState: Sendable {
    /// Closed at the end of the block, and at the end of its pipeline.
    let wakeup = Wakeup()
    private let hasArrived = Atomic(false)
    private let hasRun = Atomic(false)
    private let isOver = Atomic(false)

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    var isHolding: Bool { hasRun.load(ordering: .acquiring) && !hasEnded }

    /// Calls `body` for the first item, and then wakes the tasks that wait for it.
    func hold(_ body: () -> Void) {
        guard !hasArrived.exchange(true, ordering: .acquiringAndReleasing) else { return }
        body()
        hasRun.store(true, ordering: .releasing)
        wakeup.signal()
    }

    /// Ends the block for the tasks that wait; the probe is removed elsewhere.
    func end() {
        isOver.store(true, ordering: .releasing)
        wakeup.close()
    }
}

/// Ends the wait for a block when GStreamer releases the probe, with the block or with the pad: only the probe's
/// closure holds this object.
private final class BlockLifetime: Sendable {
    let state: BlockState

    init(_ state: BlockState) { self.state = state }

    deinit { state.end() }
}
