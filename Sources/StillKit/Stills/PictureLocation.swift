// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The position in the tags of a picture. Phones write their position there.
package enum PictureLocation {
    /// Returns `true` if a JPEG or PNG file has a position in its EXIF tags.
    package static func isIn(_ file: [UInt8], _ format: StillFormat) -> Bool {
        ExifBlock(ofFile: file, format)?.hasLocation ?? false
    }

    /// Returns the file without a position: its EXIF tags lose it, and XMP, texts and further pictures behind the first
    /// one are left out, as they can have it, too. The pixels and all other tags stay.
    ///
    /// - Throws: ``CaptureError`` `.inputOutput` if the file is not a complete JPEG or PNG.
    package static func removed(from file: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        var tags = ExifBlock(ofFile: file, format)
        tags?.removeLocation()
        switch format {
        case .jpeg:
            let plain = try JPEGPicture(file).withoutXMP()
            guard let tags else { return plain }
            return try JPEGPicture(plain).replacingExif(with: tags.bytes)
        case .png:
            let plain = PNGChunks(file).without(["eXIf", "iTXt", "tEXt", "zTXt"])
            guard let tags, let size = PNGChunks(file).size else { return plain }
            return try ExifEmbedding(tags.bytes, width: size.width, height: size.height).embedded(in: plain, .png)
        case .webp, .raw: return file
        }
    }
}
