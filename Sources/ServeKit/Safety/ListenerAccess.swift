// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
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

    /// `true` if requests need a token.
    var requiresToken: Bool {
        guard !isInsecure else { return false }
        return switch reach {
        case .socket: false
        case .machine: control.isConfigured
        case .network: true
        }
    }
}

// MARK: - Callers

extension ListenerAccess {
    /// Returns the sender of a request: by `Authorization`, by its cookie, or by the socket.
    func caller(of request: Request, on channel: any Channel) async throws -> Caller {
        let fields = request.headers[values: .authorization]
        guard fields.count <= 1 else { throw Problem(.badRequest, "Authorization: is there twice") }
        if let field = fields.first {
            let words = field.split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[0].lowercased() == "bearer" else { return .unknownToken }
            return control.caller(sending: String(words[1]))
        }
        if let text = cookie(of: request) { return control.caller(sending: text) }
        guard reach == .socket, let peer = await PeerCredentials(of: channel) else { return .anonymous }
        return .user(peer)
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

    /// The name of the cookie. With the prefix `__Host-`, browsers accept it over TLS only, and from this host only.
    private var cookieName: String { isTLS ? "__Host-gst-capture" : "gst-capture" }

    private func cookie(of request: Request) -> String? {
        for field in request.headers[values: .cookie] {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if pair.count == 2, pair[0] == cookieName { return String(pair[1]) }
            }
        }
        return nil
    }

    /// Returns the field `Set-Cookie` that gives a browser its token, for 400 days, the most that browsers keep one.
    func setCookie(_ secret: TokenSecret) -> String {
        "\(cookieName)=\(secret.text); Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict" + (isTLS ? "; Secure" : "")
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
        if ["127.0.0.1", "localhost", "[::1]"].contains(name) || hosts.contains(name) { return true }
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
        let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
        guard let end, end != host.endIndex else { return host }
        let port = host[end...].utf8.dropFirst()
        guard host[end] == ":", (1...5).contains(port.count), port.allSatisfy(\.isDigit) else { return nil }
        return String(host[..<end])
    }

    /// `true` if a page of the service itself has this origin. A proxy with a configured name may add TLS.
    func isOwn(origin: String, host: String) -> Bool {
        if origin == "\(isTLS ? "https" : "http")://\(host)" { return true }
        return isConfigured(host) && origin == "https://\(host)"
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

extension Channel {
    /// The network of the client, for limits: an IPv4 address, the /64 of an IPv6 address, or `unix`.
    var network: String {
        switch remoteAddress {
        case .v4: return remoteAddress?.ipAddress ?? ""
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
            if isMapped { return bytes.suffix(4).map { "\($0)" }.joined(separator: ".") }
            return stride(from: 0, to: 8, by: 2).map {
                String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
            }.joined(separator: ":") + "::/64"
        default: return "unix"
        }
    }
}
#endif
