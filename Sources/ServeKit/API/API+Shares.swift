// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SessionKit

// Links by which people fetch their own pictures. Who knows the secret of a link needs no token.
extension API {
    func shareEndpoints(_ access: ListenerAccess) -> [Endpoint] {
        [createShare(access), revokeShare, share, sharedPicture, sharedResult]
    }

    private func createShare(_ access: ListenerAccess) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/sessions/{session}/runs/{run}/share",
            summary: "Creates a link to the pictures of a run, for the time that the session allows. `qr` is the path "
                + "of an SVG drawing with one unit a module, and empty if no other machine reaches the service.",
            parameters: [.session, .run], status: .created, content: .json("Share"),
            problems: [.notFound, .conflict, .tooManyRequests], access: .role(.kiosk)
        ) { [service, shares, base] request in
            let (session, id) = (try await service.session(request.path("session")).session, request.path("run"))
            _ = try await BlockingWork.run { () throws(CaptureError) in try SessionRuns.run(id, of: session) }
            guard let time = session.file.session.sharing else {
                throw Problem(
                    .conflict,
                    CaptureError(
                        .usage, "the session shares no pictures", advice: "add share: 15m to the session's file"))
            }
            let (share, secret) = try await shares.create(session: session.id, run: id, for: time)
            let path = "/share/\(secret)"
            let link =
                access.publicAddress?.description ?? request.publicBase(isTLS: access.isTLS)
                ?? base().flatMap { ServiceLink.isPublic($0) ? $0 : nil }
            let code = link.flatMap { QRCode.path($0 + path) }
            return Response.json(
                .object([
                    "id": .string(share.id), "path": .string(path), "url": .optional(link.map { $0 + path }),
                    "expires": .string(share.expires), "qr": .string(code?.path ?? ""),
                    "side": .integer(code?.side ?? 0),
                ]), status: .created)
        }
    }

    private var revokeShare: Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/shares/{share}", summary: "Revokes a link.",
            parameters: [
                Endpoint.Parameter(
                    place: .path, name: "share", summary: "The ID of the link.", schema: .type("string"))
            ], status: .noContent, content: .none, problems: [.notFound], access: .role(.capture)
        ) { [shares] request in
            let id = request.path("share")
            guard await shares.revoke(id) else { throw CaptureError.unknown("link", id) }
            return Response(status: .noContent)
        }
    }

    static let secret = Endpoint.Parameter(
        place: .path, name: "secret", summary: "The secret of the link.", schema: .type("string"), isSecret: true)

    private var share: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/shared/{secret}", summary: "The pictures of a link.",
            parameters: [Self.secret], content: .json("Shared"), problems: [.notFound], access: .open
        ) { [self] request in
            let (share, session) = try await shared(request)
            let run = try await BlockingWork.run { () throws(CaptureError) in
                try SessionRuns.run(share.run, of: session)
            }
            let description = session.file.session
            let pictures = run.record.pictures.map { picture in
                JSONValue.object([
                    "number": .integer(picture.number), "stage": .string(picture.stage),
                    "name": .string(picture.best.name),
                    "duration_ms": picture.duration.map(JSONValue.milliseconds) ?? .null,
                    "poster": .bool(picture.poster != nil),
                    "views": .array(
                        picture.views.map {
                            .object(["role": .string($0.role.rawValue), "name": .string($0.file.name)])
                        }),
                ])
            }
            return Response.json(
                .object([
                    "title": .string(description.title),
                    "titles": .object(description.languages.compactMapValues(\.title).members),
                    "expires": .string(share.expires),
                    "pictures": .array(pictures), "results": .array(run.record.results.map(\.json)),
                ]))
        }
    }

    private var sharedPicture: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/shared/{secret}/{picture}", summary: "The bytes of a picture of a link.",
            parameters: [Self.secret, .sharedPicture, .poster, .view, .range],
            responses: ServedFile.responses(API.sessionTypes), problems: [.notFound, .rangeNotSatisfiable],
            access: .open
        ) { [self] request in
            let (share, session) = try await shared(request)
            return try await Self.picture(request, of: share.run, in: session)
        }
    }

    private var sharedResult: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/shared/{secret}/results/{result}",
            summary: "The bytes of a photo strip or a contact sheet of a link.",
            parameters: [Self.secret, .result, .range], responses: ServedFile.responses(["image/jpeg"]),
            problems: [.notFound, .rangeNotSatisfiable], access: .open
        ) { [self] request in
            let (share, session) = try await shared(request)
            return try await Self.result(request, of: share.run, in: session)
        }
    }

    private func shared(_ request: APIRequest) async throws -> (SessionShares.Share, ServiceSession) {
        guard let share = await shares.share(request.path("secret")),
            let session = try? await service.session(share.session).session
        else {
            throw CaptureError(.noInput, "the link has expired, was revoked or was never valid")
        }
        return (share, session)
    }
}

extension APIRequest {
    /// The address under which the client reached the service, if other machines can use it, too.
    fileprivate func publicBase(isTLS: Bool) -> String? {
        guard let authority else { return nil }
        let base = "\(isTLS ? "https" : "http")://\(authority)"
        return ServiceLink.isPublic(base) ? base : nil
    }
}

extension Endpoint.Parameter {
    fileprivate static let sharedPicture = Endpoint.Parameter(
        place: .path, name: "picture", summary: "The number of the picture.", schema: API.pictureNumber)
}
#endif
