// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Answers the requests of a connection with the routes of the service.
struct APIResponder<Responder: HTTPResponder>: Sendable where Responder.Context == ServeContext {
    private let responder: Responder
    private let logger: Logger

    init(_ responder: Responder, _ logger: Logger) { (self.responder, self.logger) = (responder, logger) }

    @Sendable @concurrent
    func respond(to request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let context = ServeContext(source: .init(channel: channel, logger: logger))
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = Self.date(time(nil))
        try await writer.write(response: response.head, body: response.body)
    }

    /// Returns a moment as in the field Date (RFC 9110, section 5.6.7).
    private static func date(_ moment: time_t) -> String {
        var (moment, parts) = (moment, tm())
        gmtime_r(&moment, &parts)
        // The program never sets a locale, so the names are English.
        let bytes = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.baseAddress.map { strftime($0, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts) } ?? 0
        }
        return String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
#endif
