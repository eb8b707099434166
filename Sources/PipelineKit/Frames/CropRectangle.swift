// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The visible part of a frame, in pixels from its top left corner (`GstVideoCropMeta`).
public struct CropRectangle: Sendable, Hashable {
    /// The left edge.
    public let x: Int
    /// The top edge.
    public let y: Int
    /// The number of columns.
    public let width: Int
    /// The number of rows.
    public let height: Int

    /// Creates a rectangle.
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
