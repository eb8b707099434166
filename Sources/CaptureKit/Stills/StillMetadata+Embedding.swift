// Part of gst-capture. Apache License 2.0, see LICENSE.

extension StillMetadata {
    /// The finished file: `bytes` with these tags in the place that the format has for them.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` where the bytes are no whole picture of that format.
    public func embedded(in bytes: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        try ExifEmbedding(exif(), width: width, height: height).embedded(in: bytes, format)
    }
}
