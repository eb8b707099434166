// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SystemBase

/// The first middleware: refuses requests that are not for this machine or that another web page sends, converts
/// errors to problems, completes the heads of responses, and logs each change.
struct RequestGate: RouterMiddleware {
    typealias Context = ServeContext

    private let routes: Routes
    private let access: ListenerAccess
    /// The logger of Hummingbird reports only errors.
    private let logger = Logger(label: "gst-capture.audit")

    init(_ access: ListenerAccess, _ routes: Routes) { (self.access, self.routes) = (access, routes) }

    @concurrent
    func handle(
        _ request: Request, context given: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let route = routes.route(of: request.uri.path, found: given.endpointPath)
        let endpoint = route?.endpoint(request.method)
        var (response, context): (Response, Context)
        var (hasStaleCookie, isLogged) = (false, true)
        context = given
        do {
            try check(request, context, endpoint)
            (context.caller, hasStaleCookie) = try await access.sender(of: request, endpoint, on: context.channel)
            response = try await next(request, context)
        } catch let problem as Problem {
            (response, isLogged) = (problem.response, problem.isLogged)
        } catch let error as CaptureError {
            let problem = Problem(error)
            // A fault of the machine, such as a full disk, that only this client would see.
            if [.internalServerError, .insufficientStorage].contains(problem.status) {
                logger.error("request failed: \(error)")
            }
            response = problem.response
        } catch let error as HTTPError where error.status == .notFound {
            response = Self.missing(route).response
        } catch let error as HTTPError {
            response = Problem(error.status, error.body ?? error.status.reasonPhrase).response
        } catch is CancellationError {
            response = Problem(CaptureError(.temporary, "the service is stopping")).response
        } catch {
            logger.error("request failed: \(error)")
            response = Problem(.internalServerError, CaptureError(.software, "an internal error")).response
        }
        complete(&response, request, endpoint)
        if hasStaleCookie { response.headers.append(access.removalOfCookie(request)) }
        if request.method == .head { response = response.withoutBody(context.channel) }
        if request.hasBody, response.status.code >= 400 { response = response.closing(context.channel) }
        if let endpoint, endpoint.method != .get, isLogged, hasRoom(for: response, context) {
            await log(request, endpoint, response, context)
        }
        return response
    }

    private static func missing(_ route: Route?) -> Problem {
        guard let route else { return Problem(.notFound, CaptureError(.noInput, "there is no such path")) }
        let names = route.endpoints.flatMap(\.methods).map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, CaptureError(.usage, "the path accepts only \(names)"), headers: [.allow: names])
    }

    /// Adds the fields that all responses have, and the public path of the service to its own addresses.
    private func complete(_ response: inout Response, _ request: Request, _ endpoint: Endpoint?) {
        for (name, value) in Self.securityHeaders where response.headers[name] == nil {
            response.headers[name] = value
        }
        if let location = response.headers[.location], location.hasPrefix("/") {
            response.headers[.location] = access.publicPath(of: request) + location
        }
        // Browsers would show a dialog for the name and the password in place of the page, which explains how to pair.
        let isBrowser = request.headers[.accept]?.contains("image/") ?? false
        if response.status == .unauthorized, endpoint?.isPicture ?? false, !isBrowser {
            response.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"gst-capture\""))
        }
    }

    /// `false` if the log has enough requests that were refused as this one.
    private func hasRoom(for response: Response, _ context: Context) -> Bool {
        let refusals: [HTTPResponse.Status] = [.unauthorized, .forbidden, .contentTooLarge, .misdirectedRequest]
        guard refusals.contains(response.status), !context.caller.isKnown else { return true }
        return access.control.logsRefusal(of: context.channel.network)
    }

    /// Logs a change: who, what, and the result.
    private func log(_ request: Request, _ endpoint: Endpoint, _ response: Response, _ context: Context) async {
        let path = endpoint.path(with: context.coreContext.parameters)
        let who = await Self.name(of: context.caller)
        logger.notice(
            "\(request.method.rawValue) \(path.prefix(200).description.withoutControls)",
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
    private func check(_ request: Request, _ context: Context, _ endpoint: Endpoint?) throws(Problem) {
        guard endpoint?.body != nil || !request.hasBody else {
            throw Problem(.contentTooLarge, "the request has no body", advice: "leave it out")
        }
        // A target in absolute form names another host.
        guard request.uri.string.hasPrefix("/") else { throw Problem(.badRequest, "the target is not a path") }
        guard let host = request.head.authority, !request.headers.contains(where: { $0.name.canonicalName == "host" }),
            access.isOwn(host, at: context.channel.localAddress)
        else {
            throw Problem(
                .misdirectedRequest, "the Host is not this machine",
                advice: "use its address, or add the name to hosts: of the configuration, or as url: that of a proxy")
        }
        guard let endpoint else { return }
        try checkSender(request, endpoint.senders(for: request.uri.query), host)
    }

    /// Checks that no other web page sends a request that may have effects. A browser names the page in one of two fields
    /// or in both; other programs send neither.
    private func checkSender(_ request: Request, _ senders: Endpoint.Senders, _ host: String) throws(Problem) {
        guard senders != .all else { return }
        let origins = request.headers[values: .origin]
        if let other = origins.first(where: { !access.isOwn(origin: $0, host: host) }),
            senders != .neighbors || !access.isNeighbor(origin: other, host: host)
        {
            let advice =
                "if it is the page of this service behind a proxy, set url: of the configuration to its address"
            throw Problem(
                .forbidden,
                CaptureError(.permission, "another web page sent the request: \(other.quoted)", advice: advice))
        }
        let isAdmitted = request.headers[values: .secFetchSite].allSatisfy { site in
            switch (site, senders) {
            case ("same-origin", _), ("none", _), ("same-site", .neighbors): true
            case (_, .links): request.isNavigation
            default: false
            }
        }
        guard isAdmitted else {
            throw Problem(
                .forbidden,
                CaptureError(
                    .permission, "another web page sent the request", advice: "use the page of the service itself"))
        }
    }
}

extension Endpoint {
    /// The path with the parameters of a request, except those that are secrets.
    fileprivate func path(with parameters: Parameters) -> String {
        let secrets = self.parameters.filter(\.isSecret).map { "{\($0.name)}" }
        let parts = path.split(separator: "/").map { part in
            guard part.hasPrefix("{"), !secrets.contains(String(part)) else { return part }
            return parameters.get(String(part.dropFirst().dropLast())).map { $0[...] } ?? part
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension Request {
    /// `true` if a body follows the head.
    var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[values: .contentLength].contains { $0 != "0" }
    }

    /// `true` if the user follows a link, or opens the address in another way: the response is not a part of another page.
    fileprivate var isNavigation: Bool {
        headers[values: .secFetchMode] == ["navigate"] && headers[values: .secFetchDestination] == ["document"]
    }
}

extension Response {
    /// Returns the response to HEAD. Without a length, the connection is closed after it: the server would announce a
    /// body in chunks, and end it.
    fileprivate func withoutBody(_ channel: any Channel) -> Response {
        guard headers[.contentLength] == nil, ![.noContent, .notModified].contains(status) else {
            return createHeadResponse()
        }
        var response = self
        response.body = ResponseBody(contentLength: nil) { writer in try await writer.finish(nil) }
        return response.closing(channel)
    }

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
    static let secFetchMode = constant("Sec-Fetch-Mode")
    static let secFetchDestination = constant("Sec-Fetch-Dest")
    static let forwardedPrefix = constant("X-Forwarded-Prefix")
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
