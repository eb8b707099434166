// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The use of a camera's flash LED.
public enum FlashMode: String, Sendable, Hashable, CaseIterable {
    /// The LED is not used.
    case off
    /// The LED lights each picture: as a steady light around the moment, or as a strobe if it supports nothing else.
    case on
    /// The LED is a steady light all the time.
    case torch
    /// As ``on``, but only if the frame before the picture is dark: mean luma below 20 %, then until it is above 30 %.
    case auto
}
