// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MetricsKit
import ServiceKit

/// Counts responses by the template of their path. It is outside of ``RequestGate``, so that refusals count, too.
///
/// Hummingbird's own middleware for metrics is not used: a label of it is the method, for which a client can send any
/// word, and each would be kept for ever.
struct RequestMeter: RouterMiddleware {
    typealias Context = ServeContext

    let metrics: ServeMetrics
    let routes: Routes

    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let route = routes.route(of: request.uri.path, found: context.endpointPath)
        let response = try await next(request, context)
        metrics.countRequest(
            method: Self.methods.contains(request.method) ? request.method.rawValue : "other",
            route: route?.path ?? "other", status: response.status.code,
            duration: start.duration(to: .now))
        return response
    }
}

extension API {
    var metricsEndpoint: Endpoint {
        Endpoint(
            method: .get, path: "/metrics", summary: "Metrics in the text format of Prometheus.",
            content: .other(["text/plain"])
        ) { [service, metrics] _ in
            Response.text(await metrics.exposition(of: service), type: Exposition.mediaType)
        }
    }
}
#endif
