// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The details in the graph of a pipeline (`GstDebugGraphDetails`).
public struct GraphDetails: OptionSet, Sendable, Hashable {
    /// GStreamer's bits.
    public let rawValue: UInt32

    /// Creates details from GStreamer's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ details: GstDebugGraphDetails) { rawValue = UInt32(truncatingIfNeeded: details.rawValue) }

    /// The media type on each link.
    public static let mediaTypes = GraphDetails(GST_DEBUG_GRAPH_SHOW_MEDIA_TYPE)
    /// The caps on each link.
    public static let caps = GraphDetails(GST_DEBUG_GRAPH_SHOW_CAPS_DETAILS)
    /// The properties that do not have their default values.
    public static let changedProperties = GraphDetails(GST_DEBUG_GRAPH_SHOW_NON_DEFAULT_PARAMS)
    /// The state of each element.
    public static let states = GraphDetails(GST_DEBUG_GRAPH_SHOW_STATES)
    /// The whole values of properties, even if they are long.
    public static let wholeValues = GraphDetails(GST_DEBUG_GRAPH_SHOW_FULL_PARAMS)
    /// All of the above except ``wholeValues``.
    public static let all = GraphDetails(GST_DEBUG_GRAPH_SHOW_ALL)
}

extension Pipeline {
    /// Returns a graph of the elements and their links in the language of Graphviz, for `dot -Tsvg`
    /// (`gst_debug_bin_to_dot_data`).
    ///
    /// The call locks one element after the other, and reads its properties: do not make it in a probe or in a handler
    /// of a signal. A property can contain a secret, such as a password in a URL.
    ///
    /// - Parameter details: The details in the graph.
    public func graph(_ details: GraphDetails = .all) -> String {
        let native = GstDebugGraphDetails(rawValue: .init(truncatingIfNeeded: details.rawValue))
        return gst_debug_bin_to_dot_data(cast(), native).map { String(consuming: $0) } ?? ""
    }
}
