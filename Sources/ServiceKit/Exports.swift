// Part of gst-capture. Apache License 2.0, see LICENSE.

@_exported import AccessKit
@_exported import AnalyticsKit
@_exported import CaptureKit
@_exported import ClipList
@_exported import ClipStore
@_exported import ServiceModel
