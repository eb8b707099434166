// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A message from an element to the program, outside the stream (`GstMessage`), as Swift data.
public struct BusMessage: Sendable {
    /// The kind of message, with its data. New kinds may be added: give every switch a default.
    public enum Content: Sendable {
        /// An element cannot continue; the pipeline must be stopped.
        case error(PipelineError)
        /// Something is wrong, but the stream continues.
        case warning(PipelineError)
        /// Information; nothing is wrong.
        case info(PipelineError)
        /// All sinks have seen the end of the stream.
        case endOfStream
        /// An element changed its state. `pending` is the state that the change leads to; `nil` if it is reached.
        case stateChanged(from: PipelineState, to: PipelineState, pending: PipelineState?)
        /// A state change that continued in the background is complete.
        case asyncDone
        /// The stream starts.
        case streamStart
        /// The latency of the pipeline changed; ``Pipeline/recalculateLatency()`` applies the change.
        case latency
        /// An element dropped data, or fell behind.
        case qualityOfService(QualityOfService)
        /// A message that is specific to the element.
        case element(Structure)
        /// A message that is specific to the program.
        case application(Structure)
        /// A device was plugged in.
        case deviceAdded(Device)
        /// A device was removed.
        case deviceRemoved(Device)
        /// The progress of buffering, in percent.
        case buffering(Int)
        /// An element found metadata in the stream.
        case tags(TagList)
        /// An element needs a context of this type, such as `gst.gl.GLDisplay`, before it continues: see
        /// ``Bus/handleSynchronously(_:)`` and ``Element/setContext(_:)``.
        case needContext(String)
        /// Any other message: GStreamer's name for its type, and its details.
        case other(type: String, Structure?)
    }

    /// The kind of message, with its data.
    public let content: Content
    /// The name of the object that posted the message, usually an element; `unknown` if there is none.
    public let source: String
    /// GStreamer's number for this message. A message about an event, such as a seek or the end of the stream, has the
    /// number of that event.
    public let sequenceNumber: UInt32

    /// Creates a message, mainly for tests.
    public init(_ content: Content, source: String, sequenceNumber: UInt32 = 0) {
        self.content = content
        self.source = source
        self.sequenceNumber = sequenceNumber
    }
}

extension BusMessage {
    /// `true` if a sink needs a window before it continues (`prepare-window-handle`): see
    /// ``Element/setWindowHandle(_:)``. Without one, the sink opens its own window.
    public var isWindowRequest: Bool {
        if case .element(let structure) = content { structure.name == "prepare-window-handle" } else { false }
    }
}

/// The delay of an element (`GST_MESSAGE_QOS`).
public struct QualityOfService: Sendable, Hashable {
    /// `true` if the source is live, so that dropped data is lost.
    public let isLive: Bool
    /// The delay of the data; negative if it was early.
    public let jitter: Duration
    /// The number of buffers, frames or samples that the element processed; `nil` if it does not count them.
    public let processed: UInt64?
    /// The number of buffers, frames or samples that the element dropped; `nil` if it does not count them.
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
