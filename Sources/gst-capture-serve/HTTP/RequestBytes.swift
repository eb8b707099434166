// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request.
enum RequestBytes {
    /// The maximum size of a body, in bytes.
    static let most = 16 << 10
    /// How long a client may take for it.
    private static let patience = Duration.seconds(10)

    /// Returns the body of a request that is JSON.
    ///
    /// - Throws: ``Problem`` 415 if it is something else, 413 if it is too long, 408 if it does not come in time, 400 if
    ///   the connection ends in it.
    static func read(_ request: Request) async throws -> [UInt8] {
        let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        guard type == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "the body is not JSON", advice: "send it with Content-Type: application/json")
        }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await part in request.body {
                    bytes += part.readableBytesView
                    guard bytes.count <= most else {
                        throw Problem(.contentTooLarge, "the body is longer than \(most / 1024) KiB")
                    }
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(for: patience, clock: .suspending)
                return nil
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() ?? nil else {
                throw Problem(.requestTimeout, "the body has not come within \(patience.components.seconds) s")
            }
            return bytes
        }
    }
}
#endif
