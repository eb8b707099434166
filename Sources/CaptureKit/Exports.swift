// Part of gst-capture. Apache License 2.0, see LICENSE.

// The libraries that are not products. A program that draws layers also imports OverlayCompositor, and one that uses
// pipelines, their clock or buffers imports PipelineKit.

@_exported import CameraKit
@_exported import CaptureBase
@_exported import CropKit
@_exported import FrameMeasures
@_exported import LedgerKit
@_exported import ScheduleKit
@_exported import StillKit
@_exported import SystemBase
