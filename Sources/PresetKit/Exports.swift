// Part of gst-capture. Apache License 2.0, see LICENSE.

// The layers as text, which presets contain; LayerKit is not a product.
@_exported import LayerKit
