// Part of gst-capture. Apache License 2.0, see LICENSE.

// Moments, and work that blocks, belong to the API of this library.
@_exported import SystemBase
