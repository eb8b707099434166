// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The body that an endpoint takes.
enum RequestBody: Sendable {
    /// A JSON object, by the name of its schema, of up to 16 KiB.
    case json(String)
    /// A JSON object, by the name of its schema, of up to 512 KiB.
    case document(String)
    /// As ``json(_:)``, or no body.
    case optionalJSON(String)
    /// CSV or JSON Lines of up to 8 MiB.
    case table
    /// A JPEG or PNG picture of up to 32 MiB.
    case picture

    /// The media types.
    var types: [String] {
        switch self {
        case .json, .document, .optionalJSON: ["application/json"]
        case .table: ["text/csv", "application/jsonl"]
        case .picture: ["image/jpeg", "image/png"]
        }
    }

    /// `false` if a request may have none.
    var isRequired: Bool { if case .optionalJSON = self { false } else { true } }

    /// The maximum size, in bytes.
    var most: Int {
        switch self {
        case .json, .optionalJSON: 16 << 10
        case .document: 512 << 10
        case .table: 8 << 20
        case .picture: 32 << 20
        }
    }

    /// How long a client may take for it. A phone may have a slow connection.
    fileprivate var patience: TimeAmount {
        switch self {
        case .json, .optionalJSON: .seconds(10)
        case .document: .seconds(30)
        case .table, .picture: .seconds(120)
        }
    }

    fileprivate var name: String {
        switch self {
        case .json, .document, .optionalJSON: "JSON"
        case .table: "CSV or JSON Lines"
        case .picture: "a JPEG or PNG picture"
        }
    }
}

/// Reads the bodies of requests. Any thread may use it.
final class RequestBytes: Sendable {
    private struct State {
        var uploads = UploadPlaces()
        var channels = PlaceHolders<any Channel>()
    }

    /// The uploads that are being read, which are in memory.
    private let state = Mutex(State())

    /// How many uploads are being read.
    var uploadCount: Int { state.withLock { $0.uploads.count } }

    /// Returns the body of a request.
    ///
    /// - Throws: ``Problem`` 415 if it is of another type, 413 if it is too long, 408 if it does not come in time, 400
    ///   if it is malformed or the connection ends in it, 503 if there are too many uploads.
    func read(_ request: Request, _ body: RequestBody, _ context: ServeContext) async throws -> [UInt8] {
        guard body.isRequired || request.hasBody else { return [] }
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard let type, body.types.contains(type) else {
            throw Problem(
                .unsupportedMediaType, "the body is not \(body.name)",
                advice: "send it with Content-Type: \(body.types.joined(separator: " or "))")
        }
        guard case .picture = body else { return try await bytes(of: request, body, context.channel) { _ in } }
        let upload = try beginUpload(context.channel)
        defer { endUpload(upload) }
        return try await bytes(of: request, body, context.channel) { count in
            state.withLock { $0.uploads.receive(count, of: upload) }
        }
    }

    private func bytes(
        of request: Request, _ body: RequestBody, _ channel: any Channel, _ report: (_ count: Int) -> Void
    ) async throws -> [UInt8] {
        let (loop, start) = (channel.eventLoop, channel.eventLoop.now)
        var bytes: [UInt8] = []
        do {
            for try await part in request.body {
                bytes += part.readableBytesView
                report(part.readableBytes)
                guard bytes.count <= body.most else {
                    throw Problem(.contentTooLarge, "the body is longer than \(body.most / 1024) KiB")
                }
                guard loop.now - start <= body.patience else { throw BodyTimeout() }
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as CancellationError {
            throw error
        } catch is BodyTimeout {
            throw Problem(
                .requestTimeout, "the body has not come in time",
                advice: "send it within \(body.patience.nanoseconds / 1_000_000_000) s, without long pauses")
        } catch is UploadReplaced {
            throw Self.tooManyUploads
        } catch {
            throw Problem(.badRequest, "the body is malformed or incomplete")
        }
        return bytes
    }
}

// MARK: - Uploads

extension RequestBytes {
    /// The error of an upload that has to leave for another one.
    private struct UploadReplaced: Error {}

    private static let tooManyUploads = Problem(
        CaptureError(.temporary, "too many pictures are being uploaded", advice: "repeat it later"))

    private func beginUpload(_ channel: any Channel) throws(Problem) -> Int {
        let (now, network) = (channel.eventLoop.now, channel.network)
        let (number, loser) = state.withLock { $0.channels.add(channel, $0.uploads.begin(network, at: now)) }
        loser?.pipeline.fireErrorCaught(UploadReplaced())
        guard let number else { throw Self.tooManyUploads }
        return number
    }

    private func endUpload(_ number: Int) {
        state.withLock { state in
            state.uploads.end(number)
            state.channels.remove(number)
        }
    }
}
#endif
