// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The use of a camera's flash LED.
public enum FlashMode: String, Sendable, Hashable, CaseIterable {
    /// The LED is not used.
    case off
    /// The LED lights each picture: as a steady light around the moment, or as a strobe if it supports nothing else.
    case on
    /// The LED is a steady light all the time.
    case torch
    /// As ``on``, but only if the frame before the picture is dark: mean luma below 20 %, then until it reaches 30 %.
    case auto
}

/// The use of the flash for a picture.
public struct FlashUse: Sendable, Hashable {
    /// The requested mode; not ``FlashMode/off``.
    public var mode: FlashMode
    /// `true` if the flash was lit for the picture.
    public var hasFired: Bool

    /// Creates the record for a picture.
    public init(mode: FlashMode, hasFired: Bool) { (self.mode, self.hasFired) = (mode, hasFired) }

    /// The value of EXIF's tag Flash (0x9209): bit 0 is set if the flash fired; bits 3 and 4 are 1 for a flash that
    /// always fires, and 3 for an automatic one.
    package var exif: Int { (hasFired ? 0x01 : 0) | (mode == .auto ? 0x18 : 0x08) }

    /// The text for records: `fired`, `did-not-fire`, `auto-fired` or `auto-did-not-fire`.
    package var text: String { (mode == .auto ? "auto-" : "") + (hasFired ? "fired" : "did-not-fire") }
}
