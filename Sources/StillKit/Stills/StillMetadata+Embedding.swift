// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension StillMetadata {
    /// Returns the finished file: `bytes` with these tags at the position that the format defines.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the bytes are not a complete picture of that format.
    public func embedded(in bytes: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        try ExifEmbedding(exif(), width: width, height: height).embedded(in: bytes, format)
    }
}
