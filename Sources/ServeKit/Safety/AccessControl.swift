// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import Hummingbird
import Logging
import NIOCore
import ServiceKit
import Synchronization

/// The sender of a request.
enum Caller: Sendable {
    /// A user of this machine, at a Unix socket.
    case user(PeerCredentials)
    /// The holder of a token.
    case token(AccessToken)
    /// A client without a token.
    case anonymous
    /// A client with a token that the service does not know.
    case unknownToken

    /// `true` for a user of this machine or the holder of a token.
    var isKnown: Bool {
        switch self {
        case .user, .token: true
        case .anonymous, .unknownToken: false
        }
    }

    /// The owner of the caller's requests in the journal. A new token with the name of an earlier one is another owner.
    var owner: String {
        switch self {
        case .user(let peer): "user \(peer.user)"
        case .token(let token): "token \(token.name) \(token.id)"
        case .anonymous, .unknownToken: "anyone"
        }
    }
}

/// The tokens of a running service. All listeners share it; any thread may call it.
final class AccessControl: Sendable {
    private struct State {
        var table = TokenTable()
        /// The version of the file that has the table; `nil` if there was none.
        var version: TokenFile.Version?
        /// `true` if there is a token file. Requests then need a token, even if the file is empty or removed later.
        var isConfigured = false
        var limit = AttemptLimit()
        /// The refused requests that are logged.
        var refusals = AttemptLimit()
        /// The connections on which tokens were used.
        var connections: [ObjectIdentifier: (channel: any Channel, token: AccessToken)] = [:]
    }

    private let state = Mutex(State())
    /// Reads of the file follow one another: an older table must not take the place of a newer one.
    private let reads = Turns()
    private let logger = Logger(label: "gst-capture.audit")
    private let start = ContinuousClock.now
    /// The token file; `nil` if the process has no state folder.
    let file: TokenFile?

    /// Reads the tokens. Blocks.
    ///
    /// - Throws: `CaptureError` if the file has a mistake: without its tokens, the service cannot tell which
    ///   clients to admit.
    init(_ file: TokenFile?) throws(CaptureError) {
        self.file = file
        if let file { replace(try Self.read(file)) }
    }

    /// The content of the token file.
    private struct Content: Sendable {
        /// `nil` if the file does not exist.
        let table: TokenTable?
        /// The version before the table was read: if the file changes meanwhile, it is read again.
        let version: TokenFile.Version?
    }

    private static func read(_ file: TokenFile) throws(CaptureError) -> Content {
        let version = file.version
        return Content(table: try file.read(), version: version)
    }

    /// `true` if requests to a TCP address of this machine need a token.
    var isConfigured: Bool { state.withLock { $0.isConfigured } }

    /// Returns the caller with a token.
    func caller(sending text: String) -> Caller {
        guard let secret = TokenSecret(sent: text),
            let token = state.withLock({ $0.table }).token(secret)
        else { return .unknownToken }
        return .token(token)
    }

    /// Reads the tokens again, and closes the connections of tokens that were removed. Keeps the present ones if the
    /// file has a mistake.
    func reload() async {
        guard let file else { return }
        await reads.take()
        defer { reads.end() }
        do throws(CaptureError) {
            replace(try await BlockingWork.run { () throws(CaptureError) in try Self.read(file) })
        } catch {
            logger.error("tokens not reloaded: \(error)")
        }
    }

    private func replace(_ content: Content) {
        let table = content.table ?? TokenTable()
        let (count, isNew, closing) = state.withLock { state in
            let isNew = table.tokens != state.table.tokens
            (state.table, state.version) = (table, content.version)
            state.isConfigured = state.isConfigured || content.table != nil
            let ended = state.connections.filter { !table.tokens.contains($0.value.token) }
            for key in ended.keys { state.connections[key] = nil }
            return (table.tokens.count, isNew, ended.values.map(\.channel))
        }
        for channel in closing { channel.close(mode: .all, promise: nil) }
        if isNew { logger.notice("tokens: \(count)") }
    }

    /// Notes that a connection uses a token, so that it ends with the token.
    ///
    /// - Throws: ``Problem`` if the token was removed meanwhile.
    func note(_ token: AccessToken, on channel: any Channel) throws(Problem) {
        let key = ObjectIdentifier(channel as AnyObject)
        let (isKnown, isNew) = state.withLock { state in
            guard state.table.tokens.contains(token) else { return (false, false) }
            return (true, state.connections.updateValue((channel, token), forKey: key) == nil)
        }
        guard isKnown else { throw Self.missing("the token was removed") }
        guard isNew else { return }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { _ = $0.connections.removeValue(forKey: key) }
        }
    }

    /// Counts a wrong token or pairing link. Returns the problem for the client. The log has a line for each of the first
    /// ones in a minute, and one for all others.
    func refuse(_ network: String, _ problem: Problem) -> Problem {
        let excess = state.withLock { $0.limit.record(network, at: ContinuousClock.now - start) }
        guard let excess else {
            logger.warning("wrong token", metadata: ["peer": "\(network)"])
            return problem
        }
        if excess.isFirst {
            logger.warning("too many wrong tokens; more are not logged", metadata: ["peer": "\(network)"])
        }
        var limited = Problem(
            .tooManyRequests,
            CaptureError(.temporary, "the address has sent too many wrong tokens", advice: "wait \(excess.wait) s"),
            headers: [.retryAfter: "\(excess.wait)"])
        limited.isLogged = false
        return limited
    }

    /// Counts a request of a client without a token that was refused. Returns `false` if the log has enough of them: anyone
    /// could fill it.
    func logsRefusal(of network: String) -> Bool {
        let excess = state.withLock { $0.refusals.record(network, at: ContinuousClock.now - start) }
        if let excess, excess.isFirst {
            logger.warning("too many refused requests; more are not logged", metadata: ["peer": "\(network)"])
        }
        return excess == nil
    }

    /// Returns the problem of a client that needs a token.
    static func missing(_ message: String) -> Problem {
        Problem(
            .unauthorized,
            CaptureError(
                .permission, message,
                advice: "send Authorization: Bearer TOKEN; gst-capture serve token add NAME creates a token"),
            headers: [.wwwAuthenticate: "Bearer"])
    }

    /// Exchanges a pairing link for a token; `nil` if no valid link has this secret.
    func redeem(_ text: String) async throws -> (secret: TokenSecret, token: AccessToken)? {
        guard let file, let link = TokenSecret(sent: text) else { return nil }
        let secret = TokenSecret.token()
        await reads.take()
        defer { reads.end() }
        // Guesses are compared with the table in memory: the file is read only if it has changed.
        let known = state.withLock { $0.version }
        let changed = try await BlockingWork.run { () throws(CaptureError) in
            file.version == known ? nil : try Self.read(file)
        }
        if let changed { replace(changed) }
        guard state.withLock({ $0.table }).hasPairing(link, at: .now()) else { return nil }
        let (token, content) = try await BlockingWork.run { () throws(CaptureError) in
            // Another process may use the link meanwhile: the file decides.
            let (token, table) = try file.redeem(link, as: secret)
            return (token, Content(table: table, version: nil))
        }
        replace(content)
        return token.map { (secret, $0) }
    }
}
#endif
