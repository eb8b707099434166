// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

extension Buffer {
    /// Returns the data with other times, in the stream to which it is pushed. The buffer itself gets them if no element
    /// holds it, and the caller must not share it meanwhile; otherwise a new buffer shares its memory.
    ///
    /// - Throws: ``PipelineError/Code/map`` if there is no memory.
    package func stamped(at time: ClockTime, duration: ClockTime) throws(PipelineError) -> Buffer {
        let object = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self)
        let isOwn = gst_mini_object_is_writable(object) != 0
        guard let stamped = isOwn ? self : gst_buffer_copy(pointer).map({ Buffer($0, .full) }) else {
            throw PipelineError(.map, "no memory for a buffer")
        }
        stamped.pointer.pointee.pts = GstClockTime(time.nanoseconds)
        stamped.pointer.pointee.dts = cgst_clock_time_none
        stamped.pointer.pointee.duration = GstClockTime(duration.nanoseconds)
        return stamped
    }
}
