// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// Embeds a block of EXIF tags in files, at the position that each format defines.
package struct ExifEmbedding {
    private let exif: [UInt8]
    private let width: Int, height: Int

    /// Creates an embedding.
    ///
    /// - Parameter exif: The tags, as a TIFF file.
    package init(_ exif: [UInt8], width: Int, height: Int) {
        self.exif = exif
        self.width = width
        self.height = height
    }

    /// Returns the file with these tags; raw bytes stay unchanged.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the bytes are not a complete JPEG, or do not begin as a file
    ///   of the other format does; `software` if the tags are too long for JPEG.
    package func embedded(in bytes: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        switch format {
        case .jpeg: try JPEGPicture(bytes).replacingExif(with: exif)
        case .png: try embedded(inPNG: bytes)
        case .webp: try embedded(inWebP: bytes)
        case .raw: bytes
        }
    }

    /// Inserts the eXIf chunk directly after the header, before any image data (PNG 3rd edition, 11.3.3.5).
    private func embedded(inPNG bytes: [UInt8]) throws(CaptureError) -> [UInt8] {
        let afterHeader = 33
        guard bytes.count > afterHeader, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw .damaged("PNG")
        }
        let body = Array("eXIf".utf8) + exif
        let chunk = UInt32(body.count - 4).networkBytes + body + CRC32.checksum(body).networkBytes
        var file = bytes
        file.insert(contentsOf: chunk, at: afterHeader)
        return file
    }

    /// Sets the EXIF flag in the extended header (VP8X), and appends the EXIF chunk.
    private func embedded(inWebP bytes: [UInt8]) throws(CaptureError) -> [UInt8] {
        guard bytes.count > 20, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) else {
            throw .damaged("WebP")
        }
        var chunks = Array(bytes[12...])
        let hasExtendedHeader = chunks.starts(with: Array("VP8X".utf8)) && chunks.count >= 18
        if hasExtendedHeader { chunks[8] |= 0x08 } else { chunks = extendedHeader() + chunks }
        let padding: [UInt8] = exif.count.isMultiple(of: 2) ? [] : [0]
        chunks += Array("EXIF".utf8) + UInt32(exif.count).bytes + exif + padding
        return Array("RIFF".utf8) + UInt32(chunks.count + 4).bytes + Array("WEBP".utf8) + chunks
    }

    private func extendedHeader() -> [UInt8] {
        let size =
            UInt32(clamping: max(1, width) - 1).bytes.prefix(3) + UInt32(clamping: max(1, height) - 1).bytes.prefix(3)
        return Array("VP8X".utf8) + UInt32(10).bytes + [0x08, 0, 0, 0] + size
    }
}
