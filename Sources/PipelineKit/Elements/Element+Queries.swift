// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

/// Queries go to the element, and from there through the pipeline. They do not wait for data. Ask a ``Pipeline`` for
/// the answer of its sinks. Any thread may ask.
extension Element {
    /// The delay that a stream has when its data is shown (`GST_QUERY_LATENCY`).
    public struct Latency: Sendable, Hashable {
        /// `true` if a source is live. Sinks wait for the latency only if it is `true`.
        public let isLive: Bool
        /// The time that data needs from its capture to the sink.
        public let minimum: ClockTime
        /// The time for which the elements can buffer data; `nil` if there is no limit.
        public let maximum: ClockTime?
    }

    /// The times to which a stream can seek (`GST_QUERY_SEEKING`).
    public struct SeekableRange: Sendable, Hashable {
        /// The earliest stream time.
        public let start: ClockTime
        /// The latest stream time; `nil` if it is not known.
        public let end: ClockTime?
    }

    /// The stream time of the data that is shown or processed now (`gst_element_query_position`); `nil` if it is not
    /// known, as before the first data.
    public final var position: ClockTime? { time(gst_element_query_position) }

    /// The total duration of the stream (`gst_element_query_duration`); `nil` if it is not known, as for live sources.
    public final var duration: ClockTime? { time(gst_element_query_duration) }

    /// The latency (`gst_query_new_latency`); `nil` if it is not known yet.
    public final var latency: Latency? {
        ask(gst_query_new_latency()) { query in
            var (isLive, minimum, maximum): (gboolean, GstClockTime, GstClockTime) = (0, 0, 0)
            gst_query_parse_latency(query, &isLive, &minimum, &maximum)
            return Latency(isLive: isLive != 0, minimum: ClockTime(minimum) ?? .zero, maximum: ClockTime(maximum))
        }
    }

    /// The times to which ``Pipeline/seek(to:until:rate:_:deadline:)`` can go (`gst_query_new_seeking`); `nil` if the
    /// stream cannot seek, or does not know it yet.
    public final var seekableRange: SeekableRange? {
        ask(gst_query_new_seeking(GST_FORMAT_TIME)) { query in
            var (format, isSeekable): (GstFormat, gboolean) = (GST_FORMAT_UNDEFINED, 0)
            var (start, end): (gint64, gint64) = (-1, -1)
            gst_query_parse_seeking(query, &format, &isSeekable, &start, &end)
            guard isSeekable != 0, format == GST_FORMAT_TIME else { return nil }
            return SeekableRange(start: ClockTime(queried: start) ?? .zero, end: ClockTime(queried: end))
        }
    }

    private typealias TimeQuery =
        (UnsafeMutablePointer<GstElement>?, GstFormat, UnsafeMutablePointer<gint64>?) -> gboolean

    private func time(_ query: TimeQuery) -> ClockTime? {
        var time: gint64 = -1
        guard query(cast(), GST_FORMAT_TIME, &time) != 0 else { return nil }
        return ClockTime(queried: time)
    }

    /// Sends a query, and frees it. Returns `nil` if no element answers.
    private func ask<Answer>(
        _ query: UnsafeMutablePointer<GstQuery>?, _ read: (UnsafeMutablePointer<GstQuery>) -> Answer?
    ) -> Answer? {
        guard let query else { return nil }
        defer { gst_query_unref(query) }
        return gst_element_query(cast(), query) != 0 ? read(query) : nil
    }
}

extension ClockTime {
    /// `nil` for a negative number, which means "not known".
    fileprivate init?(queried time: gint64) {
        guard time >= 0 else { return nil }
        self.init(nanoseconds: UInt64(time))
    }
}
