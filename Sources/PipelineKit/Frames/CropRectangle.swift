// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The part of a frame that is to be seen, in pixels from its top left corner (`GstVideoCropMeta`).
public struct CropRectangle: Sendable, Hashable {
    /// The left edge.
    public let x: Int
    /// The top edge.
    public let y: Int
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int

    /// Names a part.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

extension CropRectangle {
    init(_ meta: GstVideoCropMeta) {
        self.init(x: Int(meta.x), y: Int(meta.y), width: Int(meta.width), height: Int(meta.height))
    }
}
