// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

/// The manner of a seek (`GstSeekFlags`).
public struct SeekFlags: OptionSet, Sendable, Hashable {
    /// GStreamer's bits.
    public let rawValue: UInt32

    /// Creates flags from GStreamer's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ flag: GstSeekFlags) { rawValue = UInt32(truncatingIfNeeded: flag.rawValue) }

    /// Discards the data in flight, so that the seek takes effect at once.
    public static let flush = SeekFlags(GST_SEEK_FLAG_FLUSH)
    /// Begins exactly at the position, which can take longer.
    public static let accurate = SeekFlags(GST_SEEK_FLAG_ACCURATE)
    /// Begins at the nearest key frame.
    public static let keyUnit = SeekFlags(GST_SEEK_FLAG_KEY_UNIT)
    /// Reports the end of the range with a message `segment-done` instead of the end of the stream.
    public static let segment = SeekFlags(GST_SEEK_FLAG_SEGMENT)
    /// Allows elements to skip data to reach the rate.
    public static let trickMode = SeekFlags(GST_SEEK_FLAG_TRICKMODE)
    /// Prefers a place before the position.
    public static let snapBefore = SeekFlags(GST_SEEK_FLAG_SNAP_BEFORE)
    /// Prefers a place after the position.
    public static let snapAfter = SeekFlags(GST_SEEK_FLAG_SNAP_AFTER)
    /// In trick mode, decodes only key frames.
    public static let trickModeKeyUnits = SeekFlags(GST_SEEK_FLAG_TRICKMODE_KEY_UNITS)
    /// In trick mode, decodes no audio.
    public static let trickModeNoAudio = SeekFlags(GST_SEEK_FLAG_TRICKMODE_NO_AUDIO)
}

extension Pipeline {
    /// Continues the stream at another position (`gst_element_seek`).
    ///
    /// Waits for a pending change of state or an earlier seek, and returns when the elements have accepted the seek.
    /// After a flush, ``BusMessage/Content/asyncDone`` reports that the sinks have data of the new position. The call
    /// runs on a separate thread.
    ///
    /// - Parameters:
    ///   - position: The stream time at which playback begins.
    ///   - end: The stream time at which playback ends; `nil` for the end of the stream, or for its start if `rate` is
    ///     negative.
    ///   - rate: The speed; 1 is normal, and a negative rate plays backward.
    ///   - flags: The manner of the seek. Without ``SeekFlags/flush``, the pipeline must play.
    ///   - deadline: The limit for the whole call.
    /// - Throws: ``PipelineError/Code/seek`` if the stream cannot seek, not in this state, or not to this position;
    ///   ``PipelineError/Code/deadline`` if the pipeline gets no data in time, or an element hangs.
    public func seek(
        to position: ClockTime, until end: ClockTime? = nil, rate: Double = 1,
        _ flags: SeekFlags = [.flush, .keyUnit], deadline: Duration = .seconds(10)
    ) async throws(PipelineError) {
        guard let range = SeekRange(from: position, until: end, rate: rate) else {
            throw failure(.seek, "cannot play from \(position) to \(end?.description ?? "the end") at rate \(rate)")
        }
        // A separate thread: stop() must not wait for a pipeline that gets no data.
        let call = "seeking"
        try await ControlQueue("gst-capture.seek").run(call, within: deadline) { [self] () throws(PipelineError) in
            var state = GST_STATE_NULL
            let change = gst_element_get_state(cast(), &state, nil, GstClockTime(max(0, deadline.nanoseconds)))
            guard change != GST_STATE_CHANGE_ASYNC else { throw .unsettled(call, deadline) }
            // Without a flush, the seek waits for the streaming thread, which a paused sink blocks.
            let canSeek = state == GST_STATE_PLAYING || (state == GST_STATE_PAUSED && flags.contains(.flush))
            guard change != GST_STATE_CHANGE_FAILURE, canSeek, range.seek(self, rate, flags) else {
                throw failure(.seek, "does not seek to \(position)")
            }
        }
    }
}

/// The limits of a seek as GStreamer expects them: the earlier time first, even if playback goes backward.
private struct SeekRange: Sendable {
    private let start: gint64
    private let stop: gint64

    /// `nil` if the end comes before the start, or the rate is 0 or not a number: GStreamer reports these as criticals.
    init?(from position: ClockTime, until end: ClockTime?, rate: Double) {
        let first = gint64(clamping: position.nanoseconds)
        let last = end.map { gint64(clamping: $0.nanoseconds) }
        guard rate.isFinite, rate != 0 else { return nil }
        // -1 stands for the end of the stream.
        (start, stop) = rate > 0 ? (first, last ?? -1) : (last ?? 0, first)
        guard stop < 0 || start <= stop else { return nil }
    }

    func seek(_ pipeline: Pipeline, _ rate: Double, _ flags: SeekFlags) -> Bool {
        let native = GstSeekFlags(rawValue: .init(truncatingIfNeeded: flags.rawValue))
        return gst_element_seek(
            pipeline.cast(), rate, GST_FORMAT_TIME, native, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop) != 0
    }
}
