// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The links by which people fetch their own pictures of a session, for a limited time.
///
/// A link has a random secret of 128 bits. The links are in memory only: the end of the service revokes all of them.
public actor SessionShares {
    /// A link without its secret.
    public struct Share: Sendable, Hashable {
        /// The name by which it is revoked.
        public let id: String
        /// The ID of the session.
        public let session: String
        /// The ID of the run whose pictures it gives.
        public let run: String
        /// When it expires, in ISO 8601.
        public let expires: String
        fileprivate let end: ClockTime
    }

    /// By the hashes of their secrets: the time of a lookup then says nothing about a secret.
    private var shares: [String: Share] = [:]
    private let now: @Sendable () -> ClockTime

    /// The most links.
    static let most = 1000
    /// The most links of a run; a further one replaces the one of the run that expires first.
    static let mostOfRun = 8

    /// Creates an empty table.
    ///
    /// - Parameter now: The clock; tests replace it.
    public init(now: @escaping @Sendable () -> ClockTime = { .now }) { self.now = now }

    /// Creates a link to the pictures of a run.
    ///
    /// - Returns: The link and its secret, which only the people in the pictures may know.
    /// - Throws: `CaptureError` `.limit` if there are ``most`` links. Those of other runs stay valid.
    public func create(
        session: String, run: String, for time: Duration
    ) throws(CaptureError) -> (share: Share, secret: String) {
        removeExpired()
        let own = shares.filter { $0.value.session == session && $0.value.run == run }
        if own.count >= Self.mostOfRun, let first = own.min(by: { $0.value.end < $1.value.end })?.key {
            shares[first] = nil
        }
        guard shares.count < Self.most else {
            throw CaptureError(
                .limit, "\(Self.most) links are valid already", subject: "share",
                advice: "revoke one, or wait until one expires")
        }
        let (secret, id) = (TokenSecret.pairing(), String(TokenSecret.pairing().text.prefix(16)))
        let share = Share(
            id: id, session: session, run: run, expires: WallTime.now().adding(time).iso8601, end: now() + time)
        shares[secret.hash] = share
        return (share, secret.text)
    }

    /// Returns the link of a secret; `nil` if it has expired, was revoked or never existed.
    public func share(_ secret: String) -> Share? {
        guard let share = TokenSecret(sent: secret).flatMap({ shares[$0.hash] }), now() < share.end else { return nil }
        return share
    }

    /// Revokes a link.
    ///
    /// - Returns: `false` if there is no such link.
    public func revoke(_ id: String) -> Bool {
        guard let hash = shares.first(where: { $0.value.id == id })?.key else { return false }
        shares[hash] = nil
        return true
    }

    private func removeExpired() {
        let now = now()
        shares = shares.filter { now < $0.value.end }
    }
}
