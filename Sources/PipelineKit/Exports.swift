// Part of gst-capture. Apache License 2.0, see LICENSE.

// `ClockTime` and `Duration.nanoseconds` belong to the API of this library: users need not import SystemBase.
@_exported import SystemBase
