// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What an element has to say to the program, out of the stream (`GstMessage`), as Swift data.
public struct BusMessage: Sendable {
    /// What happened. New kinds may be added: give every switch a default.
    public enum Content: Sendable {
        /// An element cannot go on; the pipeline must be stopped.
        case error(PipelineError)
        /// Something is wrong, but the stream goes on.
        case warning(PipelineError)
        /// Worth knowing.
        case info(PipelineError)
        /// All sinks have seen the end.
        case endOfStream
        /// An element changed its state.
        case stateChanged(from: PipelineState, to: PipelineState, pending: PipelineState?)
        /// A change of state that went on in the background is done.
        case asyncDone
        /// The stream starts.
        case streamStart
        /// The delay through the pipeline changed; ``Pipeline/recalculateLatency()`` takes it up.
        case latency
        /// An element dropped data, or fell behind.
        case qualityOfService(QualityOfService)
        /// A message of the element's own.
        case element(Structure)
        /// A message of the program's own.
        case application(Structure)
        /// A device was plugged in.
        case deviceAdded(Device)
        /// A device went away.
        case deviceRemoved(Device)
        /// Buffering, in per cent.
        case buffering(Int)
        /// Any other: GStreamer's name for it, and its details.
        case other(type: String, Structure?)
    }

    /// What happened.
    public let content: Content
    /// The name of the element that says it.
    public let source: String
    /// GStreamer's number for this message; a message that answers another has the same.
    public let sequenceNumber: UInt32

    /// Creates a message, mostly for tests.
    public init(_ content: Content, source: String, sequenceNumber: UInt32 = 0) {
        self.content = content
        self.source = source
        self.sequenceNumber = sequenceNumber
    }
}

/// How far an element fell behind (`GST_MESSAGE_QOS`).
public struct QualityOfService: Sendable, Hashable {
    /// True where the source is live, and data is lost for good.
    public let isLive: Bool
    /// How late the data was; negative where it was early.
    public let jitter: Duration
    /// Buffers, frames or samples that went through, where the element counts them.
    public let processed: UInt64?
    /// Those that did not.
    public let dropped: UInt64?
}

extension BusMessage {
    /// `true` for an error and for the end of the stream, which other messages must not displace.
    var isFinal: Bool {
        switch content {
        case .error, .endOfStream: true
        default: false
        }
    }

    var isError: Bool { if case .error = content { true } else { false } }
}
