// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SystemBase

/// A file that is the content of a response, whole or in part, read piece by piece.
actor ServedFile {
    /// The size of the file, in bytes.
    private nonisolated let byteCount: Int

    private let executor = BlockingExecutor("gst-capture.pictures")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let file: RegularFile
    /// The bytes that are still to be read.
    private var rest: Range<Int>

    private static let pieceBytes = 256 << 10

    init(_ file: consuming RegularFile) {
        byteCount = Int(file.status.st_size)
        rest = 0..<byteCount
        self.file = file
    }

    /// Opens the file of a session. Blocks.
    ///
    /// - Parameter id: The name of the picture for clients, who see no paths.
    /// - Throws: `CaptureError` `.noInput` if it does not exist anymore.
    init(_ file: SessionRuns.File, id: String) throws(CaptureError) {
        do throws(RegularFile.Failure) {
            self.init(try file.open())
        } catch {
            throw CaptureError(.noInput, "the file of the picture cannot be read", subject: id)
        }
    }

    /// The responses of an endpoint that sends a file.
    ///
    /// - Parameter hasTag: `true` if the response has an ETag, and is 304 if the client has the content.
    static func responses(
        _ types: [String], hasTag: Bool = false
    ) -> [(status: HTTPResponse.Status, content: Endpoint.Content)] {
        [(.ok, .other(types)), (.partialContent, .other(types))] + (hasTag ? [(.notModified, .none)] : [])
    }

    /// Returns a response with the file, or with the part that the request asks for (RFC 9110, section 14).
    ///
    /// - Throws: ``Problem`` 416 if the file does not have that part.
    nonisolated func response(to request: APIRequest, _ headers: HTTPFields) throws(Problem) -> Response {
        var headers = headers
        headers[.acceptRanges] = "bytes"
        switch request.range(of: byteCount, tag: headers[.eTag]) {
        case .whole: return response(.ok, headers, 0..<byteCount)
        case .part(let bytes):
            headers[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(byteCount)"
            return response(.partialContent, headers, bytes)
        case .unsatisfiable:
            throw Problem(
                .rangeNotSatisfiable,
                CaptureError(.usage, "the file has \(byteCount) bytes", advice: "ask for a part of them"),
                headers: [.contentRange: "bytes */\(byteCount)", .acceptRanges: "bytes"])
        }
    }

    private nonisolated func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ bytes: Range<Int>
    ) -> Response {
        Response(
            status: status, headers: headers,
            body: ResponseBody(contentLength: bytes.count) { writer in
                try await self.seek(to: bytes)
                while let piece = try await self.next() { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            })
    }

    private func seek(to bytes: Range<Int>) throws {
        if bytes.lowerBound > 0 { try file.seek(to: bytes.lowerBound) }
        rest = bytes
    }

    /// Returns the next bytes; `nil` at the end. A file that has shrunk meanwhile ends early, which closes the
    /// connection.
    private func next() throws -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        var piece = [UInt8](repeating: 0, count: min(rest.count, Self.pieceBytes))
        let count = try file.read(into: &piece)
        guard count > 0 else { throw CaptureError(.inputOutput, "the picture was cut off") }
        rest.removeFirst(count)
        return count == piece.count ? piece : Array(piece.prefix(count))
    }
}

extension APIRequest {
    /// Returns the part of a content that the client asks for. With If-Range, it wants the part only of the content that it
    /// has begun to read, and else the whole (RFC 9110, section 13.1.5). Dates never match: responses have none.
    fileprivate func range(of byteCount: Int, tag: String?) -> ByteRange {
        let condition = headers[.ifRange]
        guard !isHead, condition == nil || condition == tag else { return .whole }
        return ByteRange(headers[.range], of: byteCount)
    }
}

extension Endpoint.Parameter {
    static let range = Endpoint.Parameter(
        place: .header, name: "Range", summary: "A part of the file, such as bytes=0-499; the response is 206.",
        schema: .type("string"))
    static let ifRange = Endpoint.Parameter(
        place: .header, name: "If-Range", summary: "The ETag of the file that Range is about.", schema: .type("string"))
}
#endif
