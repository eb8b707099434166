// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit

// A pairing link gives a browser a token. The link opens a page with a button, and only the button uses the link up: a
// messenger that fetches the link for a preview must not.
extension API {
    func pairingEndpoints(_ access: ListenerAccess) -> [Endpoint] {
        let code = Endpoint.Parameter(
            place: .path, name: "code", summary: "The secret of the link, from gst-capture serve pair.",
            schema: .type("string"), isSecret: true)
        return [
            Endpoint(
                method: .get, path: "/pair/{code}", summary: "A page with a button that pairs the browser.",
                parameters: [code], content: .other(["text/html"]), access: .open
            ) { _ in
                PairingPage.response(
                    "<p>Pair this browser with the cameras?</p><form method=\"post\"><button>Pair</button></form>")
            },
            Endpoint(
                method: .post, path: "/pair/{code}",
                summary: "Uses up a pairing link, and sets the cookie with a new token.", parameters: [code],
                content: .other(["text/html"]), problems: [.notFound, .tooManyRequests], access: .open
            ) { request in
                guard let (secret, token) = try await access.control.redeem(request.path("code")) else {
                    let problem = Problem(
                        .notFound,
                        CaptureError(
                            .noInput, "the link was used, has expired or was never valid",
                            advice: "gst-capture serve pair prints a new one"))
                    throw access.control.refuse(request.network, problem)
                }
                var response = PairingPage.response(
                    "<p>Paired as <b>\(token.name)</b> with the role \(token.role.rawValue).</p>")
                response.headers.append(access.cookie(secret, request))
                return response
            },
        ]
    }
}

private enum PairingPage {
    /// Returns a page. Its text is HTML.
    static func response(_ text: String) -> Response {
        var response = Response.text(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width\"><title>gst-capture</title>\(text)</html>\n",
            type: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        // Without a referrer, browsers would send the form with the origin null, which is refused.
        response.headers[.referrerPolicy] = "same-origin"
        return response
    }
}
#endif
