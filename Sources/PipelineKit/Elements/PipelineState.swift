// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The state of a pipeline or an element (`GstState`).
public enum PipelineState: Sendable, Hashable {
    /// No resources are held.
    case null
    /// Devices are open.
    case ready
    /// Data is prepared, but does not flow.
    case paused
    /// Data flows.
    case playing

    init?(_ state: GstState) {
        switch state {
        case GST_STATE_NULL: self = .null
        case GST_STATE_READY: self = .ready
        case GST_STATE_PAUSED: self = .paused
        case GST_STATE_PLAYING: self = .playing
        default: return nil
        }
    }

    var native: GstState {
        switch self {
        case .null: GST_STATE_NULL
        case .ready: GST_STATE_READY
        case .paused: GST_STATE_PAUSED
        case .playing: GST_STATE_PLAYING
        }
    }
}
