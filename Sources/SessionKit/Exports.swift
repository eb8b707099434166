// Part of gst-capture. Apache License 2.0, see LICENSE.

// The gates, which are not a product.
@_exported import GateKit
