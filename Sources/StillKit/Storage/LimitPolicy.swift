// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The action when a series reaches one of its limits.
public enum LimitPolicy: Sendable, Hashable {
    /// The series ends after the pending pictures. Nothing is removed.
    case stop
    /// The oldest pictures are removed.
    case prune
    /// The series keeps every n-th of its pictures, from the oldest on. When all are thinned out, it keeps every n-th
    /// of the rest, and so on. It keeps every n-th of the pictures beyond the age limit.
    case thin(every: Int)

    /// `true` if the policy removes pictures.
    package var removes: Bool { self != .stop }
}

extension LimitPolicy: CustomStringConvertible {
    /// The setting's text: `stop`, `prune`, or `thin:4`.
    public var description: String {
        switch self {
        case .stop: "stop"
        case .prune: "prune"
        case .thin(let every): "thin:\(every)"
        }
    }
}
