// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An occasion on which a command of the user's runs.
enum Hook: String, Sendable, Hashable, CaseIterable {
    /// A picture is due soon.
    case before
    /// The pictures of a slot are durable.
    case after
    /// The camera is lost.
    case lost
    /// The camera is back.
    case recovered

    /// The option that says the command.
    var option: String { "--exec-\(rawValue)" }
}
