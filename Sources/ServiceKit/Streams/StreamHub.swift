// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The live streams of a service, one for each different request. Any thread may use it.
public final class StreamHub: Sendable {
    private struct Entry {
        let desk: ObjectIdentifier
        let stream: any SharedStream
    }

    private let entries = Mutex<[Entry]>([])

    /// The maximum number of viewers of all streams. The service over HTTP has places for 32: one that has to leave for
    /// another counts for a moment longer.
    public static let mostViewers = 40
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
    /// - Parameters:
    ///   - desk: The desk of the camera.
    ///   - make: Makes a stream, and has it run.
    /// - Throws: `CaptureError` `.limit` if there are too many viewers or streams.
    func join<Stream: SharedStream>(
        _ request: Stream.Request, of desk: ObjectIdentifier, _ make: () -> Stream
    ) throws(CaptureError) -> Stream.Viewer {
        try entries.withLock { entries throws(CaptureError) in
            let used = entries.filter { $0.stream.viewerCount > 0 }
            guard used.map(\.stream.viewerCount).reduce(0, +) < Self.mostViewers else {
                throw CaptureError(
                    .limit, "\(Self.mostViewers) viewers already watch", subject: "live pictures",
                    advice: "close one, or try again later")
            }
            for entry in entries where entry.desk == desk {
                guard let stream = entry.stream as? Stream, stream.request == request else { continue }
                if let viewer = stream.join() { return viewer }
            }
            guard used.count < Self.mostStreams, entries.count < Self.mostStreams * 2 else {
                throw CaptureError(
                    .limit, "\(Self.mostStreams) different streams are already encoded", subject: "live pictures",
                    advice: "ask for the size, rate and quality of another viewer, or try again later")
            }
            let stream = make()
            entries.append(Entry(desk: desk, stream: stream))
            guard let viewer = stream.join() else { throw CaptureError(.software, "a stream has ended early") }
            return viewer
        }
    }

    /// Removes a stream that has ended.
    func remove(_ stream: any SharedStream) { entries.withLock { $0.removeAll { $0.stream === stream } } }

    /// Ends the streams of a desk.
    func end(of desk: ObjectIdentifier) {
        let streams = entries.withLock { $0.filter { $0.desk == desk }.map(\.stream) }
        for stream in streams { stream.end() }
    }

    /// `true` for the oldest stream of a desk.
    func isOldest(_ stream: any SharedStream, of desk: ObjectIdentifier) -> Bool {
        entries.withLock { $0.first { $0.desk == desk }?.stream === stream }
    }

    /// The bytes of the frames that a desk's streams keep for live photos.
    func keptBytes(of desk: ObjectIdentifier) -> [Int] {
        entries.withLock { $0.filter { $0.desk == desk } }.compactMap { ($0.stream as? MotionStream)?.byteCount }
    }

    /// The states of a desk's camera, as its streams see them.
    func health(of desk: ObjectIdentifier) -> [CameraHealth] {
        entries.withLock { $0.filter { $0.desk == desk && !$0.stream.hasEnded }.map(\.stream.health) }
    }
}
