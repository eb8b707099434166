// Part of gst-capture. Apache License 2.0, see LICENSE.

@_exported import CaptureBase
// A program that imports CaptureKit needs no further import.
@_exported import SystemBase
