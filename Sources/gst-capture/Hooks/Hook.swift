// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An event for which the user can set a command.
enum Hook: String, Sendable, Hashable, CaseIterable {
    /// A picture is due soon.
    case before
    /// All pictures of a slot are durable.
    case after
    /// The camera is lost.
    case lost
    /// The camera is back.
    case recovered

    /// The option that sets the command.
    var option: String { "--exec-\(rawValue)" }
}
