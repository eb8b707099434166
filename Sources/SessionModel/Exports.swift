// Part of gst-capture. Apache License 2.0, see LICENSE.

// The gates, which sessions name.
@_exported import GateKit
