// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What happens when a series has reached one of its limits.
public enum LimitPolicy: Sendable, Hashable {
    /// It ends, after the pictures in hand. Nothing is removed.
    case stop
    /// Its oldest pictures are removed.
    case prune
    /// It keeps every n-th of its pictures, from the oldest on; when all are thinned out, every n-th of these, and so
    /// on. Of pictures beyond the age every n-th stays.
    case thin(every: Int)

    /// True where pictures are removed.
    var removes: Bool { self != .stop }
}

extension LimitPolicy: CustomStringConvertible {
    /// As the setting has it: `stop`, `prune`, or `thin:4`.
    public var description: String {
        switch self {
        case .stop: "stop"
        case .prune: "prune"
        case .thin(let every): "thin:\(every)"
        }
    }
}
