// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceKit
import Synchronization
import VideoKit

/// Live pictures or video for one client, until it leaves.
///
/// A part is written when the client has room for it, so a slow client misses pictures. A client that reads nothing for 10
/// to 20 seconds is disconnected.
struct LiveResponse: Sendable {
    private let place: ClientShare.Place
    private let channel: any Channel
    /// Has frames kept for live photos; `nil` if the client wants none.
    private let frames: MotionViewer?

    static let boundary = "boundarydonotcross"
    /// Web pages of the same machine at another port, such as that of a printer, show the pictures.
    static let resourcePolicy = "same-site"
    private static let patience = Duration.seconds(10)

    init(_ place: ClientShare.Place, _ channel: any Channel, keeping frames: MotionViewer?) {
        (self.place, self.channel, self.frames) = (place, channel, frames)
    }

    /// Live pictures as `multipart/x-mixed-replace`: each part is the newest picture.
    func pictures(_ viewer: StreamViewer) -> Response {
        response(
            LiveAction.stream.type, beginning: ByteBuffer(string: "--\(Self.boundary)\r\n"),
            next: { await viewer.next().map(Self.part) }, leave: { viewer.leave() })
    }

    /// Live video as a movie in fragments, which begins with a picture. It ends when the format changes.
    ///
    /// - Throws: `CaptureError` if the picture does not fit into a movie.
    func video(_ viewer: VideoViewer, beginningWith first: EncodedUnit) throws(CaptureError) -> Response {
        guard let caps = first.sample.caps else { throw CaptureError(.software, "the video has no format") }
        var movie = try LiveMovie(caps)
        let beginning = movie.initialization + (try movie.fragment(first) ?? [])
        let rest = Mutex(movie)
        return response(
            movie.mediaType, beginning: ByteBuffer(bytes: beginning),
            next: {
                guard let unit = await viewer.next() else { return nil }
                return try rest.withLock { try $0.fragment(unit) }.map { ByteBuffer(bytes: $0) }
            }, leave: { viewer.leave() })
    }

    private func response(
        _ type: String, beginning: ByteBuffer, next: @escaping @Sendable () async throws -> ByteBuffer?,
        leave: @escaping @Sendable () -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .crossOriginResourcePolicy: Self.resourcePolicy],
            body: ResponseBody { writer in
                try await write(beginning, next, leave, to: &writer)
                try await writer.finish(nil)
            })
    }

    @concurrent
    private func write(
        _ beginning: ByteBuffer, _ next: @Sendable () async throws -> ByteBuffer?,
        _ leave: @escaping @Sendable () -> Void, to writer: inout any ResponseBodyWriter
    ) async throws {
        defer { withExtendedLifetime((place, frames)) {} }
        channel.last(onClose: leave)
        let progress = WriteProgress()
        async let _ = disconnect(after: progress)
        try await writer.write(beginning)
        while let part = try await next() {
            progress.begin()
            try await writer.write(part)
            progress.end()
        }
    }

    /// Returns the part of a picture, with the boundary that ends it: clients show a part when they see its end.
    private static func part(_ picture: StreamPicture) -> ByteBuffer {
        let head =
            "Content-Type: image/jpeg\r\nContent-Length: \(picture.bytes.count)\r\n"
            + "X-Timestamp: \(picture.timestamp)\r\n\r\n"
        let end = "\r\n--\(boundary)\r\n"
        var buffer = ByteBuffer()
        buffer.reserveCapacity(head.utf8.count + picture.bytes.count + end.utf8.count)
        buffer.writeString(head)
        buffer.writeBytes(picture.bytes)
        buffer.writeString(end)
        return buffer
    }

    private func disconnect(after progress: WriteProgress) async {
        var pending = progress.pending
        while (try? await Task.sleep(for: Self.patience)) != nil {
            let now = progress.pending
            if let now, now == pending { return channel.close(mode: .all, promise: nil) }
            pending = now
        }
    }
}

/// The parts that a client has taken.
private final class WriteProgress: Sendable {
    private let state = Mutex((number: 0, isWriting: false))

    /// The number of the part that is being written; `nil` between parts.
    var pending: Int? { state.withLock { $0.isWriting ? $0.number : nil } }

    func begin() { state.withLock { $0 = ($0.number + 1, true) } }

    func end() { state.withLock { $0.isWriting = false } }
}

extension StreamPicture {
    /// The time as mjpg-streamer writes it: seconds since 1970 with microseconds.
    var timestamp: String {
        let digits = String(time.nanoseconds / 1000)
        return "\(time.seconds).\(String(repeating: "0", count: 6 - digits.utf8.count))\(digits)"
    }
}
#endif
