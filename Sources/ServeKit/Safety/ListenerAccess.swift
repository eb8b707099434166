// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceKit

/// Who may use an address of the service, and under which names.
struct ListenerAccess: Sendable {
    /// The clients that can reach an address.
    enum Reach: Sendable {
        /// Users of this machine whom the permissions of a Unix socket admit.
        case socket
        /// All users of this machine.
        case machine
        /// Other machines.
        case network
    }

    let control: AccessControl
    let reach: Reach
    let isTLS: Bool
    /// `true` if no request needs a token (`--insecure`).
    let isInsecure: Bool
    /// Names of this machine besides its addresses, in lower case.
    let hosts: [String]
    /// The address at which a proxy serves the service; `nil` without a proxy.
    let publicAddress: PublicAddress?

    /// `true` if requests need a token.
    var requiresToken: Bool {
        guard !isInsecure else { return false }
        return switch reach {
        case .socket: false
        // Other machines reach the port through the proxy.
        case .machine: control.isConfigured || publicAddress != nil
        case .network: true
        }
    }
}

// MARK: - Callers

extension ListenerAccess {
    /// Returns the sender of a request: by `Authorization: Bearer`, by its cookie, by a password or the token in the address,
    /// or by the socket.
    ///
    /// A listener that needs no token ignores passwords and unknown cookies: they may be those of a proxy, or of an
    /// earlier service. A known cookie precedes a password, because proxies forward the password that they request.
    ///
    /// - Returns: The sender; `true` if its browser has a cookie with an unknown token, which ``removalOfCookie(_:)``
    ///   removes.
    func sender(
        of request: Request, _ endpoint: Endpoint?, on channel: any Channel
    ) async throws -> (caller: Caller, hasStaleCookie: Bool) {
        let fields = request.headers[values: .authorization]
        guard fields.count <= 1 else { throw Problem(.badRequest, "Authorization: is there twice") }
        let words = fields.first?.split(separator: " ", maxSplits: 1) ?? []
        let scheme = words.first?.lowercased()
        if !fields.isEmpty, scheme != "basic" {
            guard scheme == "bearer", words.count == 2 else { return (.unknownToken, false) }
            return (control.caller(sending: String(words[1])), false)
        }
        let holder = cookie(of: request).map { control.caller(sending: $0) }
        if let holder, holder.isKnown { return (holder, false) }
        guard requiresToken else { return (await user(of: channel), holder != nil) }
        if scheme == "basic" { return (try caller(withPassword: words.dropFirst().first, endpoint), holder != nil) }
        if let text = Self.token(inQuery: request.uri.query), endpoint?.isPicture ?? false {
            return (try viewer(sending: text), holder != nil)
        }
        return (holder ?? .anonymous, holder != nil)
    }

    /// The caller without a token.
    private func user(of channel: any Channel) async -> Caller {
        guard reach == .socket, let peer = await PeerCredentials(of: channel) else { return .anonymous }
        return .user(peer)
    }

    /// Returns the caller with the user name and the password of Basic authentication, in Base64 (RFC 7617). They count only
    /// for pictures.
    private func caller(withPassword text: Substring?, _ endpoint: Endpoint?) throws(Problem) -> Caller {
        guard endpoint?.isPicture ?? false else { return .anonymous }
        guard let bytes = text.flatMap({ Base64.decoded(String($0)) }) else { return .unknownToken }
        // The name of the user is before the first colon.
        let password = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        return try viewer(sending: String(decoding: password, as: UTF8.self))
    }

    /// Returns the caller with a token that a program keeps as a password or in an address, where others may see it.
    ///
    /// - Throws: ``Problem`` if the token permits more than to view.
    private func viewer(sending text: String) throws(Problem) -> Caller {
        let caller = control.caller(sending: text)
        if case .token(let token) = caller, token.role != .view {
            throw Problem(
                .forbidden,
                CaptureError(
                    .permission, "a token as a password or in an address must have the role view", subject: token.name,
                    advice: "gst-capture serve token add NAME --role view creates one"))
        }
        return caller
    }

    /// Returns the parameter `token` of a query, which has no characters to be decoded; `nil` without it.
    private static func token(inQuery query: String?) -> String? {
        query?.split(separator: "&").first { $0.hasPrefix("token=") }.map { String($0.dropFirst("token=".count)) }
    }

    /// Checks that the caller has a role.
    ///
    /// - Throws: ``Problem`` without the right token.
    func authorize(_ context: ServeContext, _ role: Role) throws(Problem) {
        switch context.caller {
        case .user: return
        case .anonymous:
            guard requiresToken else { return }
            throw AccessControl.missing("a token is missing")
        case .unknownToken:
            throw control.refuse(context.channel.network, AccessControl.missing("the token is not known"))
        case .token(let token):
            guard token.role >= role else {
                throw Problem(
                    .forbidden,
                    CaptureError(
                        .permission,
                        "the token has the role \(token.role.rawValue); the request needs \(role.rawValue)",
                        subject: token.name, advice: "use a token with the role \(role.rawValue)"))
            }
            try control.note(token, on: context.channel)
        }
    }

    /// `true` if the caller has the role `view`.
    func mayView(_ caller: Caller) -> Bool {
        switch caller {
        case .user, .token: true
        case .anonymous: !requiresToken
        case .unknownToken: false
        }
    }
}

// MARK: - Cookies

extension ListenerAccess {
    /// Returns the name of the cookie with a token.
    ///
    /// Browsers send a cookie to all ports of a host, and a proxy may serve several services at one: the name has the port
    /// that the browser uses, or the path of the public address. With the prefix `__Host-`, browsers accept the cookie
    /// over TLS only, and from this host only.
    func cookieName(_ headers: HTTPFields, _ authority: String?) -> String {
        let isPublic = isPublic(headers, authority)
        let port = isPublic ? publicAddress?.port.map { "\($0)" } : authority.flatMap(Self.port(of:))
        let path = isPublic ? publicAddress?.path.replacing("/", with: "-") ?? "" : ""
        return (isSecure(isPublic) ? "__Host-" : "") + "gst-capture" + (port.map { "-\($0)" } ?? "") + path
    }

    /// `true` if the browser uses TLS.
    private func isSecure(_ isPublic: Bool) -> Bool { isTLS || isPublic && publicAddress?.isTLS ?? false }

    private func cookie(of request: Request) -> String? {
        let cookieName = cookieName(request.headers, request.head.authority)
        for field in request.headers[values: .cookie] {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if pair.count == 2, pair[0] == cookieName { return String(pair[1]) }
            }
        }
        return nil
    }

    /// Returns the field that gives a browser its token, for 400 days, the most that browsers keep one.
    func cookie(_ secret: TokenSecret, _ request: APIRequest) -> HTTPField {
        setCookie(secret.text, seconds: 34_560_000, request.headers, request.authority)
    }

    /// Returns the field that removes the cookie of a browser.
    func removalOfCookie(_ request: Request) -> HTTPField {
        setCookie("", seconds: 0, request.headers, request.head.authority)
    }

    private func setCookie(_ text: String, seconds: Int, _ headers: HTTPFields, _ authority: String?) -> HTTPField {
        let value =
            "\(cookieName(headers, authority))=\(text); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure(isPublic(headers, authority)) ? "; Secure" : "")
        return HTTPField(name: .setCookie, value: value)
    }
}

// MARK: - The public address

extension ListenerAccess {
    /// `true` if a request came through the proxy: its Host is that of the public address, or the proxy says that it has
    /// removed its path.
    private func isPublic(_ headers: HTTPFields, _ authority: String?) -> Bool {
        guard let publicAddress else { return false }
        if let host = authority?.lowercased(), [publicAddress.host, publicAddress.authority].contains(host) {
            return true
        }
        let prefixes = headers[values: .forwardedPrefix]
        return !prefixes.isEmpty && prefixes.allSatisfy { [publicAddress.path, publicAddress.path + "/"].contains($0) }
    }

    /// The path that the proxy has removed from a request; empty without a proxy.
    func publicPath(of request: Request) -> String {
        isPublic(request.headers, request.head.authority) ? publicAddress?.path ?? "" : ""
    }
}

// MARK: - Names of this machine

extension ListenerAccess {
    /// `true` if a `Host` names this machine: `127.0.0.1`, `localhost`, `[::1]`, a configured name, or the address at
    /// which the client is connected, each with or without a port.
    ///
    /// DNS rebinding gives the name of a web page the address of this machine. The browser then sends that name, and
    /// never an address.
    func isOwn(_ host: String, at local: SocketAddress?) -> Bool {
        guard let name = Self.name(of: host) else { return false }
        if ["127.0.0.1", "localhost", "[::1]", publicAddress?.host].contains(name) || hosts.contains(name) {
            return true
        }
        guard reach == .network, let local = local?.ipAddress else { return false }
        let literal = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        guard let address = (try? SocketAddress(ipAddress: literal, port: 0))?.ipAddress else { return false }
        // A socket of both families has IPv4 addresses in this form.
        return address == local || "::ffff:\(address)" == local
    }

    /// `true` if a configured name, such as that of a proxy, is the host.
    private func isConfigured(_ host: String) -> Bool { Self.name(of: host).map(hosts.contains) ?? false }

    /// Returns the host without its port, in lower case; `nil` if the port is not one.
    private static func name(of host: String) -> String? {
        let host = host.lowercased()
        guard let end = endOfName(host), end != host.endIndex else { return host }
        return port(of: host) == nil ? nil : String(host[..<end])
    }

    /// Returns the port of a host; `nil` without one.
    private static func port(of host: String) -> String? {
        guard let end = endOfName(host), end != host.endIndex, host[end] == ":" else { return nil }
        let port = host[end...].dropFirst()
        return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy(\.isDigit) ? String(port) : nil
    }

    private static func endOfName(_ host: String) -> String.Index? {
        host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
    }

    /// `true` if a page of the service itself has this origin. A proxy with a configured name may add TLS.
    func isOwn(origin: String, host: String) -> Bool {
        if origin == "\(isTLS ? "https" : "http")://\(host)" || origin == publicAddress?.origin { return true }
        return isConfigured(host) && origin == "https://\(host)"
    }

    /// `true` if an origin is another port of the host.
    func isNeighbor(origin: String, host: String) -> Bool {
        let authority = origin.drop { $0 != ":" }
        guard authority.hasPrefix("://"), let name = Self.name(of: host) else { return false }
        return Self.name(of: String(authority.dropFirst(3))) == name
    }
}

// MARK: - Peers

/// The process at the other end of a Unix socket (`SO_PEERCRED`, `struct ucred`).
struct PeerCredentials: Sendable {
    let process: Int32
    let user: UInt32
    let group: UInt32

    /// Asks the kernel; `nil` if the connection is closed.
    init?(of channel: any Channel) async {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let future: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        guard let credentials = try? await future.get() else { return nil }
        self = credentials
    }

    /// The name of the user, with the number. Blocks.
    var userName: String {
        var (entry, result) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(user, &entry, start, buffer.count, &result) == 0,
                result != nil, let name = entry.pw_name
            else { return "uid \(user)" }
            return "\(String(cString: name).withoutControls) (uid \(user))"
        }
    }
}
#endif
