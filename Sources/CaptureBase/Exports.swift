// Part of gst-capture. Apache License 2.0, see LICENSE.

// Moments belong to the API of this library.
@_exported import SystemBase
