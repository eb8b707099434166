// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit

// The web page. Its files are no secrets: a browser without a token gets the page, which says how to pair.
extension API {
    func pageEndpoints(_ access: ListenerAccess) -> [Endpoint] {
        [
            pageView("/kiosk/{session}", .session, "The page of a session for strangers, in full screen.") {
                [service] request in
                // To others, the page says how to pair, and nothing about sessions.
                guard access.mayView(request.caller) else { return true }
                return await service.allSessions.contains { $0.id == request.path("session") }
            },
            pageView("/share/{secret}", Self.secret, "The page of a link to the pictures of a run.") {
                [shares] request in await shares.share(request.path("secret")) != nil
            },
            Endpoint(
                method: .get, path: "/page/{hash}/{file}", summary: "A file of the web page.",
                parameters: [
                    Endpoint.Parameter(
                        place: .path, name: "hash", summary: "The hash of all files.", schema: .type("string")),
                    Endpoint.Parameter(
                        place: .path, name: "file", summary: "The name of the file.", schema: .type("string")),
                ], content: .other(["text/javascript", "text/css", "image/svg+xml"]), problems: [.notFound],
                access: .open
            ) { [page] request in
                let name = request.path("file")
                guard let file = page?.file(name, hash: request.path("hash")) else {
                    throw CaptureError.unknown("file", name)
                }
                var response = Response(
                    status: .ok, headers: [.contentType: file.type],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
                response.headers[.cacheControl] = "public, max-age=31536000, immutable"
                return response
            },
            Endpoint(
                method: .get, path: "/api/v1/me",
                summary: "The role of the client, the time of the service, with which a page corrects its clock, and "
                    + "the parts that only some services have.",
                content: .json("Me")
            ) { [outbox, records] request in
                // Records can have personal values, which need a role that changes them.
                let hasRecords = records != nil && request.caller.role >= .capture
                let offers = (outbox == nil ? [] : ["outbox"]) + (hasRecords ? ["records"] : [])
                return Response.json(
                    .object([
                        "role": .string(request.caller.role.rawValue), "name": .optional(request.caller.name),
                        "time": .string(WallTime.now().iso8601),
                        "offers": .array(offers.map(JSONValue.string)),
                    ]))
            },
        ]
    }

    /// Another address of the page, which shows a view without the rest. Without the object of the view, the page that
    /// says so has the status 404.
    private func pageView(
        _ path: String, _ parameter: Endpoint.Parameter, _ summary: String,
        exists: @escaping @Sendable (APIRequest) async -> Bool
    ) -> Endpoint {
        Endpoint(
            method: .get, path: path, summary: summary, parameters: [parameter],
            responses: [
                (.ok, .other(["text/html"])), (.notFound, .other(["text/html", "application/problem+json"])),
            ], access: .open
        ) { [page] request in
            var response = try Self.response(page, to: request)
            if await !exists(request) { response.status = .notFound }
            return response
        }
    }

    /// Returns the page.
    ///
    /// - Throws: ``Problem`` if it is not installed.
    static func response(_ page: PageFiles?, to request: APIRequest) throws(Problem) -> Response {
        guard let page else {
            throw Problem(
                .notFound,
                CaptureError(
                    .noInput, "the files of the web page are not installed",
                    advice: "install gst-capture as a whole, or add ?action=stream for the first camera"))
        }
        var response = Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.index(root: request.pathToRoot))))
        response.headers[.contentSecurityPolicy] = contentSecurityPolicy
        return response
    }

    /// Everything comes from the service. Pictures that a response contains, those that are drawn, and live video are
    /// `blob:`.
    private static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "media-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}

extension Caller {
    /// The role of a caller whom the listener has admitted.
    fileprivate var role: Role {
        switch self {
        case .token(let token): token.role
        // A listener that needs no token permits everything.
        case .user, .anonymous, .unknownToken: .admin
        }
    }

    /// The name of the token.
    fileprivate var name: String? {
        if case .token(let token) = self { token.name } else { nil }
    }
}
#endif
