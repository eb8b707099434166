// Part of gst-capture. Apache License 2.0, see LICENSE.

// A program that imports CaptureKit needs no further import.

@_exported import CameraKit
@_exported import CaptureBase
@_exported import CropKit
@_exported import FrameMeasures
@_exported import LedgerKit
@_exported import ScheduleKit
@_exported import StillKit
@_exported import SystemBase
