// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The body that an endpoint takes.
enum RequestBody: Sendable {
    /// A JSON object, by the name of its schema, of up to 16 KiB.
    case json(String)
    /// A JPEG or PNG picture of up to 32 MiB.
    case picture

    /// The media types.
    var types: [String] {
        switch self {
        case .json: ["application/json"]
        case .picture: ["image/jpeg", "image/png"]
        }
    }

    /// The maximum size, in bytes.
    var most: Int {
        switch self {
        case .json: 16 << 10
        case .picture: 32 << 20
        }
    }

    /// How long a client may take for it. A phone may have a slow connection.
    fileprivate var patience: Duration {
        switch self {
        case .json: .seconds(10)
        case .picture: .seconds(120)
        }
    }

    fileprivate var name: String {
        switch self {
        case .json: "JSON"
        case .picture: "a JPEG or PNG picture"
        }
    }
}

/// Reads the body of a request.
enum RequestBytes {
    /// The uploads that are being read, which are in memory.
    private static let uploads = Mutex(0)
    private static let mostUploads = 4

    private static func beginUpload() throws(Problem) {
        let isFull = uploads.withLock { uploads in
            guard uploads < mostUploads else { return true }
            uploads += 1
            return false
        }
        guard !isFull else { throw Problem(CaptureError(.temporary, "too many pictures are being uploaded")) }
    }

    /// Returns the body of a request.
    ///
    /// - Throws: ``Problem`` 415 if it is of another type, 413 if it is too long, 408 if it does not come in time, 400
    ///   if the connection ends in it.
    static func read(_ request: Request, _ body: RequestBody) async throws -> [UInt8] {
        if case .picture = body { try beginUpload() }
        defer { if case .picture = body { uploads.withLock { $0 -= 1 } } }
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard let type, body.types.contains(type) else {
            throw Problem(
                .unsupportedMediaType, "the body is not \(body.name)",
                advice: "send it with Content-Type: \(body.types.joined(separator: " or "))")
        }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await part in request.body {
                    bytes += part.readableBytesView
                    guard bytes.count <= body.most else {
                        throw Problem(.contentTooLarge, "the body is longer than \(body.most / 1024) KiB")
                    }
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(for: body.patience, clock: .suspending)
                return nil
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() ?? nil else {
                throw Problem(
                    .requestTimeout, "the body has not come within \(body.patience.components.seconds) s")
            }
            return bytes
        }
    }
}
#endif
