// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The part of a frame that is to be seen, in pixels from its top left corner (`GstVideoCropMeta`).
public struct CropRectangle: Sendable, Hashable {
    public let x: Int
    public let y: Int
    public let width: Int
    public let height: Int

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
