// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Sample {
    /// Lends the bytes of the sample without padding that its caps do not describe: a raw frame has the default strides
    /// of its format, and anything else is as it is. A frame with other strides is copied first.
    ///
    /// - Throws: ``PipelineError/Code/map`` if the sample has no data that can be read, and any error of `body`.
    package func withPackedBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard let buffer else { throw PipelineError(.map, "a sample has no buffer") }
        guard let info = caps?.videoInfo else { return try buffer.withBytes { try $0.withUnsafeBytes(body) } }
        let hasStandardLayout = try buffer.withVideoFrame(info) { frame in frame.info == info }
        let packed = hasStandardLayout ? buffer : try buffer.packed(info)
        return try packed.withBytes { span in
            try span.withUnsafeBytes { bytes in
                try body(UnsafeRawBufferPointer(rebasing: bytes.prefix(info.byteCount)))
            }
        }
    }
}

extension Buffer {
    /// Copies a frame into a buffer with the default strides of its format.
    fileprivate func packed(_ info: VideoInfo) throws -> Buffer {
        try withVideoFrame(info) { frame in
            try FramePool(info).makeFrame { copy throws in try copy.copy(frame) }
        }
    }
}
