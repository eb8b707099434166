// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import Synchronization
import UploadKit

/// The connections to one target. They stay open between calls.
final class CurlClient: Sendable {
    /// The settings of all requests to a target.
    struct Settings {
        /// The protocols that are allowed, as in `CURLOPT_PROTOCOLS_STR`.
        var protocols: String
        var authorityFile: String?
        /// The maximum rate, in bytes a second.
        var byteRate: Int?
        /// How long a server may be silent, in seconds.
        var stallLimit = 60
    }

    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    /// The most handles that wait for their next call.
    private static let mostIdle = 4

    private let settings: Settings
    private let idle = Mutex<[CurlHandle]>([])

    init(_ settings: Settings) { self.settings = settings }

    /// Creates the client of a target.
    convenience init(_ target: UploadTarget, _ protocols: String, stallLimit: Int) {
        self.init(
            Settings(
                protocols: protocols, authorityFile: target.authorityFile, byteRate: target.byteRate,
                stallLimit: stallLimit))
    }

    /// Runs `body` with a session on a thread that may block. Its requests end soon after the task is canceled.
    func run<Success: Sendable>(
        _ body: @escaping @Sendable (CurlSession) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        try await Cancellation.run { [self] cancellation throws(TransferFault) in
            guard let handle = idle.withLock({ $0.popLast() }) ?? Self.handle() else {
                throw .unreachable("libcurl cannot be used", pause: nil)
            }
            defer {
                idle.withLock { idle in
                    if idle.count < Self.mostIdle { idle.append(handle) }
                }
            }
            return try body(CurlSession(handle, settings, cancellation))
        }
    }

    private static func handle() -> CurlHandle? { isInitialized ? CurlHandle() : nil }
}

/// A handle of libcurl with its connections. `@unchecked Sendable`: one session at a time has it, because the client
/// takes it out of its list.
final class CurlHandle: @unchecked Sendable {
    fileprivate let pointer: UnsafeMutableRawPointer

    fileprivate init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }
}

/// Runs requests one after the other, on one thread.
struct CurlSession {
    let cancellation: Cancellation
    private let handle: CurlHandle
    private let settings: CurlClient.Settings

    /// How long a connection may take, in seconds.
    private static let connectLimit = 15

    init(_ handle: CurlHandle, _ settings: CurlClient.Settings, _ cancellation: Cancellation) {
        (self.handle, self.settings, self.cancellation) = (handle, settings, cancellation)
    }

    /// Runs a request (`curl_easy_perform`). Each status of HTTP is a success of this function.
    func perform(_ request: CurlRequest) throws(CurlFailure) -> CurlResponse {
        let handle = handle.pointer
        // Keeps the connections.
        curl_easy_reset(handle)
        let exchange = CurlExchange(request, cancellation, stallLimit: request.stallLimit ?? settings.stallLimit)
        var resources = CurlResources()
        defer { resources.release() }
        set(request, exchange, &resources)
        let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        defer { message.deallocate() }
        _ = ccurl_set_bytes(handle, CURLOPT_ERRORBUFFER, message)
        defer { _ = ccurl_set_bytes(handle, CURLOPT_ERRORBUFFER, nil) }
        let code = withExtendedLifetime(exchange) { curl_easy_perform(handle) }
        let response = exchange.finish(handle)
        // A server can refuse a picture before it has read it, and close the connection.
        if code == CURLE_OK || exchange.cause == nil && response.status >= 400 { return response }
        let reason = message.pointee == 0 ? curl_easy_strerror(code) : UnsafePointer(message)
        throw CurlFailure(
            cause: exchange.cause ?? .code(code), message: reason.map { String(cString: $0).withoutControls } ?? "",
            certificateFault: ccurl_certificate_fault(handle), sentCount: response.sentCount,
            didRead: exchange.didRead)
    }

    private func set(_ request: CurlRequest, _ exchange: CurlExchange, _ resources: inout CurlResources) {
        let handle = handle.pointer
        _ = ccurl_set_text(handle, CURLOPT_URL, request.address)
        _ = ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, settings.protocols)
        _ = ccurl_set_text(handle, CURLOPT_USERAGENT, "gst-capture")
        _ = ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        _ = ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, Self.connectLimit)
        _ = ccurl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        if let path = settings.authorityFile {
            _ = ccurl_set_text(handle, CURLOPT_CAINFO, path)
            // Otherwise the authorities of the system are trusted, too.
            _ = ccurl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        if let rate = settings.byteRate { _ = ccurl_set_size(handle, CURLOPT_MAX_SEND_SPEED_LARGE, Int64(rate)) }
        exchange.attach(to: handle)
        if request.isHeadOnly { _ = ccurl_set_number(handle, CURLOPT_NOBODY, 1) }
        if case .form(let form) = request.body {
            resources.setForm(form, exchange, handle)
        } else if let count = exchange.count {
            _ = ccurl_set_number(handle, CURLOPT_UPLOAD, 1)
            _ = ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, Int64(count))
        }
        if let method = request.method, !request.isHeadOnly {
            _ = ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
        }
        if !request.headers.isEmpty { resources.setList(CURLOPT_HTTPHEADER, request.headers, handle) }
        for option in request.options {
            switch option {
            case .text(let name, let value): _ = ccurl_set_text(handle, name, value)
            case .number(let name, let value): _ = ccurl_set_number(handle, name, value)
            case .size(let name, let value): _ = ccurl_set_size(handle, name, Int64(value))
            case .list(let name, let lines): resources.setList(name, lines, handle)
            }
        }
    }
}

/// Memory that libcurl reads during a transfer.
private struct CurlResources {
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var form: OpaquePointer?

    mutating func setList(_ option: CURLoption, _ lines: [String], _ handle: UnsafeMutableRawPointer) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { return }
        lists.append(list)
        _ = ccurl_set_list(handle, option, list)
    }

    /// Makes the parts of a form. libcurl asks the exchange for the picture.
    mutating func setForm(_ form: CurlForm, _ exchange: CurlExchange, _ handle: UnsafeMutableRawPointer) {
        let mime = curl_mime_init(handle)
        self.form = mime
        for field in form.fields {
            let part = curl_mime_addpart(mime)
            curl_mime_name(part, field.name)
            curl_mime_data(part, field.value, field.value.utf8.count)
        }
        let part = curl_mime_addpart(mime)
        curl_mime_name(part, form.fileField)
        curl_mime_filename(part, form.fileName)
        curl_mime_type(part, form.mediaType)
        exchange.attach(to: part, count: form.file.byteCount)
        _ = ccurl_set_form(handle, mime)
    }

    func release() {
        for list in lists { curl_slist_free_all(list) }
        curl_mime_free(form)
    }
}
#endif
