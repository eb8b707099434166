// Part of gst-capture. Apache License 2.0, see LICENSE.

// `ClockTime` and `Duration.nanoseconds` are part of the API of this library.
@_exported import SystemBase
