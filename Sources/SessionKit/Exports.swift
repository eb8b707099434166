// Part of gst-capture. Apache License 2.0, see LICENSE.

// The gates, and the sessions as values, which are not products.
@_exported import GateKit
@_exported import SessionModel
