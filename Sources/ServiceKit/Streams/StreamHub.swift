// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The live streams of a service, one for each different request. Any thread may use it.
public final class StreamHub: Sendable {
    private struct Entry {
        let camera: String
        let request: StreamRequest
        let stream: LiveStream
    }

    private let entries = Mutex<[Entry]>([])

    /// The maximum number of viewers of all streams.
    public static let mostViewers = 32
    /// The maximum number of streams, each with an encoder. Streams that viewers have just left do not count.
    public static let mostStreams = 8

    init() {}

    /// The numbers of streams and of their viewers.
    var count: (streams: Int, viewers: Int) {
        let streams = entries.withLock { $0.map(\.stream) }
        return (streams.count, streams.map(\.viewerCount).reduce(0, +))
    }

    /// Adds a viewer to the stream of a request.
    ///
    /// - Parameter make: Makes a stream, and has it run.
    /// - Throws: `CaptureError` `.limit` if there are too many viewers or streams.
    func join(
        _ request: StreamRequest, of camera: String, _ make: () -> LiveStream
    ) throws(CaptureError) -> StreamViewer {
        try entries.withLock { entries throws(CaptureError) in
            let used = entries.filter { $0.stream.viewerCount > 0 }
            guard used.map(\.stream.viewerCount).reduce(0, +) < Self.mostViewers else {
                throw CaptureError(
                    .limit, "\(Self.mostViewers) viewers already watch", subject: "live pictures",
                    advice: "close one, or try again later")
            }
            for entry in entries where entry.camera == camera && entry.request == request {
                if let viewer = entry.stream.join() { return viewer }
            }
            guard used.count < Self.mostStreams, entries.count < Self.mostStreams * 2 else {
                throw CaptureError(
                    .limit, "\(Self.mostStreams) different streams are already encoded", subject: "live pictures",
                    advice: "ask for the size, rate and quality of another viewer, or try again later")
            }
            let stream = make()
            entries.append(Entry(camera: camera, request: request, stream: stream))
            guard let viewer = stream.join() else { throw CaptureError(.software, "a stream has ended early") }
            return viewer
        }
    }

    /// Removes a stream that has ended.
    func remove(_ stream: LiveStream) { entries.withLock { $0.removeAll { $0.stream === stream } } }

    /// Ends the streams of a camera; of all cameras by default.
    func end(of camera: String? = nil) {
        let streams = entries.withLock { $0.filter { camera == nil || $0.camera == camera }.map(\.stream) }
        for stream in streams { stream.end() }
    }

    /// `true` for the oldest stream of a camera.
    func isOldest(_ stream: LiveStream, of camera: String) -> Bool {
        entries.withLock { $0.first { $0.camera == camera }?.stream === stream }
    }

    /// The states of a camera, as its streams see them.
    func health(of camera: String) -> [CameraHealth] {
        entries.withLock { $0.filter { $0.camera == camera && !$0.stream.hasEnded }.map(\.stream.health) }
    }
}
