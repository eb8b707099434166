// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore

/// The requests of a connection, and the time limits of its client. The times are those of the event loop.
struct ConnectionState: Sendable {
    /// The action that the connection must perform.
    enum Action: Sendable, Equatable {
        case none
        case close
        /// The body of a request has stopped coming: its reader must know.
        case failBody
    }

    /// How long a client may take for the head of a request, and between two parts of its body; and how long a
    /// connection may wait for the next request.
    static let patience = TimeAmount.seconds(10)

    /// The requests without a complete response.
    private var requests = 0
    private var isReadingBody = false
    private var isBodyFailed = false
    /// `true` if the client sends nothing more.
    private(set) var isInputClosed = false
    /// `true` if the response has no end.
    private var isLasting = false
    private var lastActivity: NIODeadline

    init(at now: NIODeadline) { lastActivity = now }

    /// `true` if the connection waits for a request.
    var isIdle: Bool { requests == 0 }

    /// When ``expire(at:)`` must be called; `nil` while the client waits for the service.
    var deadline: NIODeadline? {
        guard isIdle || isReadingBody, !isBodyFailed else { return nil }
        return lastActivity + Self.patience
    }

    mutating func receiveHead(at now: NIODeadline) {
        requests += 1
        (isReadingBody, lastActivity) = (true, now)
    }

    mutating func receiveBody(at now: NIODeadline) { lastActivity = now }

    /// Notes the end of a request.
    mutating func receiveEnd() { isReadingBody = false }

    /// Notes the end of a response.
    mutating func sendEnd(at now: NIODeadline) {
        requests -= 1
        (isLasting, lastActivity) = (false, now)
    }

    /// Notes that the client sends nothing more. It may still wait for a response, but not for one without an end: a
    /// closed connection looks the same.
    mutating func closeInput() -> Action {
        isInputClosed = true
        return isLasting ? .close : .none
    }

    /// Notes that the current response lasts until the client leaves.
    mutating func last() -> Action {
        isLasting = true
        return isInputClosed ? .close : .none
    }

    /// Returns what to do at a time.
    mutating func expire(at now: NIODeadline) -> Action {
        guard let deadline, deadline <= now else { return .none }
        guard isReadingBody else { return .close }
        isBodyFailed = true
        return .failBody
    }
}
#endif
