// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The metadata of a picture (EXIF 2.32).
public struct StillMetadata: Sendable, Hashable {
    /// The manufacturer of the camera.
    public var make: String?
    /// The model of the camera.
    public var model: String?
    /// The program that captured the picture.
    public var software = "gst-capture"
    /// When the picture was captured.
    public var captured: WallTime
    /// The size in pixels, as stored.
    public var width: Int, height: Int
    /// The transformation that shows the picture upright.
    public var orientation = Orientation.upright
    /// The exposure time in seconds; `nil` if the driver does not report it.
    public var exposureTime: Double?
    /// The ISO speed; `nil` if the driver does not report it.
    public var sensitivity: Double?
    /// The use of the flash; `nil` if the camera has none, or it is off.
    public var flash: FlashUse?

    /// Creates the metadata of a picture from its time and size.
    public init(captured: WallTime, width: Int, height: Int) {
        self.captured = captured
        self.width = width
        self.height = height
    }

    /// Returns the block of tags, as a TIFF file in little-endian order.
    package func exif() -> [UInt8] {
        var image = ExifDirectory()
        image.add(0x010F, text: make)
        image.add(0x0110, text: model)
        image.add(0x0112, short: orientation.rawValue)
        // EXIF requires a resolution, which is unknown: 72 dots per inch.
        for tag: UInt16 in [0x011A, 0x011B] { image.add(tag, numerator: 72, denominator: 1) }
        image.add(0x0128, short: 2)
        image.add(0x0131, text: software)
        image.add(0x0132, text: captured.exifDate)
        // Chroma samples are centered between their pixels, as in JFIF.
        image.add(0x0213, short: 1)
        return ExifDirectory.tiff(image: image, exif: exifDirectory())
    }

    private func exifDirectory() -> ExifDirectory {
        var exif = ExifDirectory()
        if let exposureTime, exposureTime >= 0.000_001, exposureTime < 4000 {
            exif.add(0x829A, numerator: UInt32((exposureTime * 1_000_000).rounded()), denominator: 1_000_000)
        }
        if let sensitivity, sensitivity >= 1, sensitivity < 65535 {
            exif.add(0x8827, short: Int(sensitivity.rounded()))
        }
        exif.add(0x9000, undefined: Array("0232".utf8))
        for tag: UInt16 in [0x9003, 0x9004] { exif.add(tag, text: captured.exifDate) }
        for tag: UInt16 in [0x9010, 0x9011, 0x9012] { exif.add(tag, text: captured.exifOffset) }
        // Y, Cb, Cr: the components of every camera JPEG.
        exif.add(0x9101, undefined: [1, 2, 3, 0])
        if let flash { exif.add(0x9209, short: flash.exif) }
        for tag: UInt16 in [0x9290, 0x9291, 0x9292] { exif.add(tag, text: captured.exifSubseconds) }
        exif.add(0xA000, undefined: Array("0100".utf8))
        exif.add(0xA001, short: 1)
        exif.add(0xA002, long: width)
        exif.add(0xA003, long: height)
        return exif
    }
}

extension StillMetadata {
    /// Returns the finished file: `bytes` with these tags at the position that the format defines. Raw bytes stay
    /// unchanged.
    ///
    /// - Throws: `CaptureError` of kind `inputOutput` if the bytes are not a complete JPEG, or do not begin as a PNG or
    ///   WebP file does. The image data of PNG and WebP is not checked.
    public func embedded(in bytes: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        try ExifEmbedding(exif(), width: width, height: height).embedded(in: bytes, format)
    }
}
