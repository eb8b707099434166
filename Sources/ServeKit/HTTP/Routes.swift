// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import HTTPTypes

/// The endpoints of a path, one for each method.
struct Route: Sendable {
    /// The path, with parameters in braces.
    let path: String
    fileprivate(set) var endpoints: [Endpoint]
    /// The path between its slashes; `nil` for a parameter.
    fileprivate let parts: [Substring?]

    fileprivate init(_ endpoint: Endpoint) {
        (path, endpoints) = (endpoint.path, [endpoint])
        parts = endpoint.path.split(separator: "/").map { $0.hasPrefix("{") ? nil : $0 }
    }

    /// Returns the endpoint of a method; `nil` if the path does not have it. HEAD has the endpoint of GET.
    func endpoint(_ method: HTTPRequest.Method) -> Endpoint? { endpoints.first { $0.methods.contains(method) } }

    fileprivate func matches(_ path: [Substring]) -> Bool {
        zip(parts, path).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// How many parts are parameters.
    fileprivate var parameterCount: Int { parts.count { $0 == nil } }
}

/// The routes of a listener. Middlewares find the route of a request here, also if the router has none because of the
/// method.
struct Routes: Sendable {
    /// All endpoints.
    let endpoints: [Endpoint]
    private let byPath: [String: Route]
    /// By the number of their parts; those with the fewest parameters come first.
    private let byCount: [Int: [Route]]

    init(_ endpoints: [Endpoint]) {
        self.endpoints = endpoints
        byPath = endpoints.reduce(into: [:]) { routes, endpoint in
            if routes[endpoint.path]?.endpoints.append(endpoint) == nil { routes[endpoint.path] = Route(endpoint) }
        }
        byCount = Dictionary(grouping: byPath.values, by: \.parts.count).mapValues { routes in
            routes.sorted { ($0.parameterCount, $0.path) < ($1.parameterCount, $1.path) }
        }
    }

    /// Returns the route of a path; `nil` if there is none.
    ///
    /// - Parameter found: The path with parameters that the router has found; `nil` if it has found none.
    func route(of path: String, found: String?) -> Route? {
        if let route = found.flatMap({ byPath[$0] }) { return route }
        let parts = path.split(separator: "/")
        return byCount[parts.count]?.first { $0.matches(parts) }
    }
}
#endif
