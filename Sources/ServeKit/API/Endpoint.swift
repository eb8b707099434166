// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceKit
import SystemBase

/// A path of the API with its method. The router and the OpenAPI document are made from the same list.
struct Endpoint: Sendable {
    /// A parameter of the path or the query.
    struct Parameter: Sendable {
        enum Place: String, Sendable {
            case path, query, header
        }

        let place: Place
        let name: String
        let summary: String
        /// The schema of the value.
        let schema: JSONValue
        /// `true` if a request must have it; those of the path are always required.
        var isRequired = false
        /// `true` if it grants access by itself: the log does not contain it.
        var isSecret = false
    }

    /// The content of a successful response.
    enum Content: Sendable {
        /// JSON with a schema of the components, such as `Camera`.
        case json(String)
        /// Other content, by its media types.
        case other([String])
        /// No content.
        case none
    }

    /// Who may use an endpoint.
    enum Access: Sendable {
        /// Everyone, without a token.
        case open
        /// Holders of a token with this role, or with one that includes it.
        case role(Role)
        /// Everyone for requests without a parameter of the query, and holders of a token with the role for others.
        case openWithout(String, Role)
    }

    /// The web pages whose requests an endpoint accepts. A browser names the page that sends a request; other programs
    /// name none, and are always accepted.
    enum Senders: Sendable {
        /// All pages: the request has no effect.
        case all
        /// Pages of the service, and links of all pages that open the response as a separate page.
        case links
        /// Pages of the service, and pages of the same host at other ports, such as that of a printer.
        case neighbors
        /// Pages of the service.
        case own
    }

    let method: HTTPRequest.Method
    /// The path, with parameters in braces: `/api/v1/cameras/{camera}`.
    let path: String
    let summary: String
    let parameters: [Parameter]
    /// `true` if unknown parameters of the query are ignored: web pages of printers add one that avoids caches.
    let ignoresUnknown: Bool
    /// `true` if `Idempotency-Key` names requests, see ``RecordedRequests``.
    let isRecorded: Bool
    /// `true` if responses have data of persons: they are kept in memory only, see ``RecordedRequests``.
    let isPersonal: Bool
    /// The body that a request has; `nil` if it has none.
    let body: RequestBody?
    /// The successful responses.
    let responses: [(status: HTTPResponse.Status, content: Content)]
    /// The statuses of problems besides those of every request.
    let problems: [HTTPResponse.Status]
    /// Who may use it; `nil` for the standard of the method.
    let access: Access?
    /// The web pages whose requests it accepts; `nil` for the standard of the method.
    let senders: Senders?
    /// `true` if it responds with pictures, also to clients that know only Basic authentication or a token in the
    /// address.
    let isPicture: Bool
    let handle: @Sendable (APIRequest) async throws -> Response

    init(
        method: HTTPRequest.Method, path: String, summary: String, parameters: [Parameter] = [],
        ignoresUnknown: Bool = false, isRecorded: Bool = false, isPersonal: Bool = false, body: RequestBody? = nil,
        responses: [(status: HTTPResponse.Status, content: Content)], problems: [HTTPResponse.Status] = [],
        access: Access? = nil, senders: Senders? = nil, isPicture: Bool = false,
        handle: @escaping @Sendable (APIRequest) async throws -> Response
    ) {
        (self.method, self.path, self.summary, self.access) = (method, path, summary, access)
        (self.ignoresUnknown, self.isRecorded, self.isPersonal, self.body) = (
            ignoresUnknown, isRecorded, isPersonal, body
        )
        (self.senders, self.isPicture) = (senders, isPicture)
        self.parameters = parameters + (isRecorded ? [.idempotencyKey] : []) + (isPicture ? [.token] : [])
        (self.responses, self.handle) = (responses, handle)
        self.problems =
            problems + (isRecorded ? [.conflict, .unprocessableContent, .insufficientStorage] : [])
            + (body == nil ? [] : [.unsupportedMediaType, .requestTimeout])
    }

    /// Creates an endpoint with one successful response.
    init(
        method: HTTPRequest.Method, path: String, summary: String, parameters: [Parameter] = [],
        ignoresUnknown: Bool = false, isRecorded: Bool = false, isPersonal: Bool = false, body: RequestBody? = nil,
        status: HTTPResponse.Status = .ok, content: Content,
        problems: [HTTPResponse.Status] = [], access: Access? = nil, senders: Senders? = nil, isPicture: Bool = false,
        handle: @escaping @Sendable (APIRequest) async throws -> Response
    ) {
        self.init(
            method: method, path: path, summary: summary, parameters: parameters, ignoresUnknown: ignoresUnknown,
            isRecorded: isRecorded, isPersonal: isPersonal, body: body, responses: [(status, content)],
            problems: problems, access: access, senders: senders, isPicture: isPicture, handle: handle)
    }

    /// The methods of the router: HEAD has the response of GET, without its body.
    var methods: [HTTPRequest.Method] { method == .get ? [.get, .head] : [method] }

    /// Who may use it: without another rule, GET needs the role `view`, POST `capture`, and all others `admin`.
    var requirement: Access {
        if let access { return access }
        return .role(method == .get ? .view : method == .post ? .capture : .admin)
    }

    /// The role that a request needs; `nil` if everyone may send it.
    func role(for query: String?) -> Role? {
        switch requirement {
        case .open: return nil
        case .role(let role): return role
        case .openWithout(let parameter, let role):
            let names = (query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
            return names.contains(parameter[...]) ? role : nil
        }
    }

    /// The web pages whose requests it accepts: without an own rule, GET accepts links, and all others only pages of the
    /// service.
    func senders(for query: String?) -> Senders {
        guard method == .get else { return .own }
        return role(for: query) == nil ? .all : senders ?? .links
    }
}

/// A request whose parameters are those of its endpoint.
struct APIRequest: Sendable {
    private let path: [String: String]
    private let query: [String: String]
    let headers: HTTPFields
    /// The body; empty if the endpoint takes none.
    let body: [UInt8]
    /// The sender.
    let caller: Caller
    /// The host and port that the client used; `nil` if it named none.
    let authority: String?
    /// `true` if the client wants only the head of the response: nothing is opened for it.
    let isHead: Bool
    /// The relative path from the request's path to the root of the service, such as `../`.
    let pathToRoot: String
    /// The connection.
    let channel: any Channel
    /// The network of the client, for limits.
    var network: String { channel.network }
    /// The name under which a client has its share of lasting responses: a token at a network.
    var client: String { "\(caller.owner) at \(network)" }
    /// The name of the request in the journal; `nil` if the client gave it none.
    let recordName: String?
    /// The content of the request, in one line.
    let fingerprint: String

    /// Checks the parameters.
    ///
    /// - Throws: ``Problem`` if the query has an unknown parameter or one twice, or if it is not UTF-8; or if the body
    ///   is not JSON, too long or too slow.
    init(
        _ request: Request, _ context: ServeContext, _ endpoint: Endpoint, _ bodies: RequestBytes
    ) async throws {
        (headers, channel, caller) = (request.headers, context.channel, context.caller)
        (authority, isHead) = (request.head.authority, request.method == .head)
        pathToRoot = String(repeating: "../", count: request.uri.path.utf8.count { $0 == UInt8(ascii: "/") } - 1)
        body = if let body = endpoint.body { try await bodies.read(request, body, context) } else { [] }
        recordName =
            endpoint.isRecorded
            ? try RecordedRequests.key(headers).map { "key \($0) of \(context.caller.owner)" } : nil
        let head = ([request.method.rawValue, request.uri.string] + headers[values: .prefer]).joined(separator: "\n")
        fingerprint = await Self.fingerprint(head, body)
        var path: [String: String] = [:]
        for parameter in endpoint.parameters where parameter.place == .path {
            path[parameter.name] = try context.parameters.require(parameter.name)
        }
        self.path = path
        let names = endpoint.parameters.filter { $0.place == .query }.map(\.name)
        query = try Self.query(request.uri.query ?? "", names, ignoresUnknown: endpoint.ignoresUnknown)
        try Self.require(endpoint.parameters, in: query)
    }

    /// Performs work, which is canceled when the client has closed its side of the connection.
    ///
    /// - Throws: `CaptureError` `.temporary` if the client has left, and the errors of the work.
    func untilClientLeaves<Value: Sendable>(
        _ work: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        guard let value = try await channel.whileClientStays(work) else {
            throw CaptureError(.temporary, "the request was canceled: its client has left")
        }
        return value
    }

    /// Hashes a request. The hash of a large body takes longer than a task may hold its thread.
    private static func fingerprint(_ head: String, _ body: [UInt8]) async -> String {
        let hash = { @Sendable in SHA256.digits(of: Array(head.utf8) + [UInt8(ascii: "\n")] + body) }
        return body.count > 64 << 10 ? await BlockingWork.run(hash) : hash()
    }

    private static func query(
        _ text: String, _ names: [String], ignoresUnknown: Bool
    ) throws(Problem) -> [String: String] {
        var values: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard names.contains(name) else {
                if ignoresUnknown { continue }
                let known = names.isEmpty ? "it takes none" : "it takes \(names.joined(separator: ", "))"
                throw Problem(.badRequest, "unknown parameter \(name.quoted)", advice: known)
            }
            guard pair.count == 2, let value = PercentCode.decoded(pair[1]), values[name] == nil else {
                throw Problem(.badRequest, "\(name): is not one value")
            }
            values[name] = value
        }
        return values
    }

    private static func require(_ parameters: [Endpoint.Parameter], in query: [String: String]) throws(Problem) {
        for parameter in parameters where parameter.place == .query && parameter.isRequired {
            guard query[parameter.name] == nil else { continue }
            throw Problem(.badRequest, "\(parameter.name): is missing", advice: parameter.summary)
        }
    }

    /// The value of a parameter of the path.
    func path(_ name: String) -> String { path[name] ?? "" }

    /// The value of a parameter of the query; `nil` without it.
    func query(_ name: String) -> String? { query[name] }

    /// Returns the whole number of a parameter.
    ///
    /// - Throws: ``Problem`` if it is not in the range.
    func number(_ name: String, _ range: ClosedRange<Int>, standard: Int) throws(Problem) -> Int {
        guard let text = query[name] else { return standard }
        guard text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit), let number = Int(text), range.contains(number)
        else {
            throw Problem(
                .badRequest, "\(name): \(text.quoted) is out of range",
                advice: "give \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns `true` if a parameter is `yes`, `false` if it is `no`, and the standard without it.
    func flag(_ name: String, standard: Bool = false) throws(Problem) -> Bool {
        switch query[name] {
        case "yes": true
        case "no": false
        case nil: standard
        case .some(let text):
            throw Problem(.badRequest, "\(name): \(text.quoted) is not known", advice: "give yes or no")
        }
    }

    /// Returns the decimal number of a parameter.
    ///
    /// - Throws: ``Problem`` if it is not in the range.
    func decimal(_ name: String, _ range: ClosedRange<Double>, standard: Double) throws(Problem) -> Double {
        guard let text = query[name] else { return standard }
        guard let number = Double(decimal: text), range.contains(number) else {
            throw Problem(
                .badRequest, "\(name): \(text.quoted) is out of range",
                advice: "give \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the words of a parameter, separated by commas; `nil` without it.
    ///
    /// - Throws: ``Problem`` if a word contains anything else than letters, digits, `-` and `_`.
    func words(_ name: String) throws(Problem) -> Set<String>? {
        guard let text = query[name] else { return nil }
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let isPlain = words.allSatisfy { word in
            (1...64).contains(word.utf8.count)
                && word.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
        }
        guard isPlain, words.count <= 64 else {
            throw Problem(.badRequest, "\(name): \(text.quoted) is not a list of words")
        }
        return Set(words)
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
enum PercentCode {
    /// Returns the decoded text; `nil` if an escape is cut off, or the result is not UTF-8 or has control characters.
    static func decoded(_ text: Substring) -> String? {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where byte >= 0x30 && byte <= 0x39: byte - 0x30
        case .some(let byte) where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x66: (byte | 0x20) - 0x57
        default: nil
        }
    }
}
#endif
