// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Properties of a buffer's data (`GstBufferFlags`).
public struct BufferFlags: OptionSet, Sendable, Hashable {
    /// GStreamer's bits.
    public let rawValue: UInt32

    /// Creates flags from GStreamer's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ flag: GstBufferFlags) { rawValue = UInt32(truncatingIfNeeded: flag.rawValue) }

    /// The data is live: elements discard it while they are paused.
    public static let live = BufferFlags(GST_BUFFER_FLAG_LIVE)
    /// The data is decoded, but not shown.
    public static let decodeOnly = BufferFlags(GST_BUFFER_FLAG_DECODE_ONLY)
    /// The data does not continue the previous buffer, as after a seek or a dropped buffer.
    public static let discontinuity = BufferFlags(GST_BUFFER_FLAG_DISCONT)
    /// The times may jump at this buffer.
    public static let resync = BufferFlags(GST_BUFFER_FLAG_RESYNC)
    /// The data is damaged.
    public static let corrupted = BufferFlags(GST_BUFFER_FLAG_CORRUPTED)
    /// The end of a frame in a stream of packets.
    public static let marker = BufferFlags(GST_BUFFER_FLAG_MARKER)
    /// The data is needed to decode the following data.
    public static let header = BufferFlags(GST_BUFFER_FLAG_HEADER)
    /// The data fills a gap in the stream, and has no content.
    public static let gap = BufferFlags(GST_BUFFER_FLAG_GAP)
    /// The stream can be decoded without this buffer.
    public static let droppable = BufferFlags(GST_BUFFER_FLAG_DROPPABLE)
    /// The data needs earlier data to be decoded; a buffer without this flag is a key frame.
    public static let deltaUnit = BufferFlags(GST_BUFFER_FLAG_DELTA_UNIT)
    /// An element added memory to the buffer, or removed it.
    public static let tagMemory = BufferFlags(GST_BUFFER_FLAG_TAG_MEMORY)
    /// A file with the data should be written to the disk at once.
    public static let syncAfter = BufferFlags(GST_BUFFER_FLAG_SYNC_AFTER)
    /// The data should not be dropped.
    public static let nonDroppable = BufferFlags(GST_BUFFER_FLAG_NON_DROPPABLE)
}

extension BufferFlags {
    /// The lowest bits belong to the mini object (`GstMiniObjectFlags`), not to the data.
    private static let mask = ~(UInt32(truncatingIfNeeded: GST_MINI_OBJECT_FLAG_LAST.rawValue) - 1)

    init(of buffer: UnsafeMutablePointer<GstBuffer>) {
        self.init(rawValue: UInt32(buffer.pointee.mini_object.flags) & Self.mask)
    }

    /// Sets these flags of a buffer that has no other holder (`GST_BUFFER_FLAG_SET`).
    func set(of buffer: UnsafeMutablePointer<GstBuffer>) {
        buffer.pointee.mini_object.flags |= guint(rawValue & Self.mask)
    }
}
