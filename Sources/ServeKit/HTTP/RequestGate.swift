// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SystemBase

/// The first middleware: refuses requests that are not for this machine or that another web page sends, converts
/// errors to problems, adds the security headers, and logs each change.
struct RequestGate: RouterMiddleware {
    typealias Context = ServeContext

    /// Returns the endpoints of a path.
    private let endpoints: @Sendable (_ path: String) -> [Endpoint]
    private let access: ListenerAccess
    /// The logger of Hummingbird reports only errors.
    private let logger = Logger(label: "gst-capture.audit")

    init(_ access: ListenerAccess, endpoints: @escaping @Sendable (_ path: String) -> [Endpoint]) {
        (self.access, self.endpoints) = (access, endpoints)
    }

    @concurrent
    func handle(
        _ request: Request, context given: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var (response, context): (Response, Context)
        context = given
        do {
            try check(request, context)
            context.caller = try await access.caller(of: request, on: context.channel)
            response = try await next(request, context)
        } catch let problem as Problem {
            response = problem.response
        } catch let error as CaptureError {
            let problem = Problem(error)
            // A fault of the machine, such as a full disk, that only this client would see.
            if problem.status == .internalServerError { logger.error("request failed: \(error)") }
            response = problem.response
        } catch let error as HTTPError where error.status == .notFound {
            response = missing(request).response
        } catch let error as HTTPError {
            response = Problem(error.status, error.body ?? error.status.reasonPhrase).response
        } catch is CancellationError {
            response = Problem(CaptureError(.temporary, "the service is stopping")).response
        } catch {
            logger.error("request failed: \(error)")
            response = Problem(.internalServerError, CaptureError(.software, "an internal error")).response
        }
        for (name, value) in Self.securityHeaders where response.headers[name] == nil {
            response.headers[name] = value
        }
        if request.hasBody, response.status.code >= 400 { response = response.closing(context.channel) }
        if request.method != .get { await audit(request, response, context) }
        return response
    }

    private func missing(_ request: Request) -> Problem {
        let allowed = endpoints(request.uri.path).map(\.method)
        guard !allowed.isEmpty else { return Problem(.notFound, CaptureError(.noInput, "there is no such path")) }
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, CaptureError(.usage, "the path accepts only \(names)"), headers: [.allow: names])
    }

    /// Logs a change: who, what, and the result.
    private func audit(_ request: Request, _ response: Response, _ context: Context) async {
        // The path of a pairing link is a secret.
        let path = request.uri.path.hasPrefix("/pair") ? "/pair" : request.uri.path.prefix(200).description
        let who = await Self.name(of: context.caller)
        logger.notice(
            "\(request.method.rawValue) \(path.withoutControls)",
            metadata: [
                "who": "\(who)", "peer": "\(Self.peer(context.channel))",
                "status": "\(response.status.code)",
            ])
    }

    private static func name(of caller: Caller) async -> String {
        switch caller {
        case .user(let peer): await BlockingWork.run { "user \(peer.userName)" }
        case .token(let token): "token \(token.name)"
        case .anonymous: "anonymous"
        case .unknownToken: "unknown token"
        }
    }

    private static func peer(_ channel: any Channel) -> String {
        guard let address = channel.remoteAddress, let ip = address.ipAddress, let port = address.port else {
            return "unix"
        }
        return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }

    private static let securityHeaders: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (.crossOriginResourcePolicy, "same-origin"), (.referrerPolicy, "no-referrer"),
    ]
}

// MARK: - Checks

extension RequestGate {
    private func check(_ request: Request, _ context: Context) throws(Problem) {
        let takesBody = endpoints(request.uri.path).contains { $0.method == request.method && $0.body != nil }
        guard takesBody || !request.hasBody else {
            throw Problem(.contentTooLarge, "the request has no body", advice: "leave it out")
        }
        // A target in absolute form names another host.
        guard request.uri.string.hasPrefix("/") else { throw Problem(.badRequest, "the target is not a path") }
        guard let host = request.head.authority, !request.headers.contains(where: { $0.name.canonicalName == "host" }),
            access.isOwn(host, at: context.channel.localAddress)
        else {
            throw Problem(
                .misdirectedRequest, "the Host is not this machine",
                advice: "use its address, or add the name to hosts: of the configuration")
        }
        guard request.method != .get else { return }
        // A browser names the page that sends a request; other programs send neither header.
        let origins = request.headers[values: .origin]
        let sites = request.headers[values: .secFetchSite]
        guard origins.allSatisfy({ access.isOwn(origin: $0, host: host) }),
            sites.allSatisfy({ ["same-origin", "none"].contains($0) })
        else { throw Problem(.forbidden, CaptureError(.permission, "another web page sent the request")) }
    }
}

extension Request {
    /// `true` if a body follows the head.
    fileprivate var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[values: .contentLength].contains { $0 != "0" }
    }
}

extension Response {
    /// Returns the response, after which the connection is closed: the client may still be sending.
    fileprivate func closing(_ channel: any Channel) -> Response {
        let body = self.body
        var response = self
        response.headers[.connection] = "close"
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            channel.close(mode: .all, promise: nil)
        }
        return response
    }
}

extension HTTPField.Name {
    static let crossOriginResourcePolicy = constant("Cross-Origin-Resource-Policy")
    static let referrerPolicy = constant("Referrer-Policy")
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let lastEventID = constant("Last-Event-ID")
    static let captureTime = constant("X-Capture-Time")
    static let timestamp = constant("X-Timestamp")
    static let captureOffset = constant("X-Capture-Offset-Ms")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not the name of a field") }
        return name
    }
}
#endif
