// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor
import PipelineKit
import Synchronization
import VideoKit

/// Live pictures of a camera with one encoder for all their viewers.
///
/// ``run()`` leases the camera from the hub, which series may use at the same time, and returns after the last viewer
/// has left. While the camera is lost, viewers get their last picture, blurred, with the fault in words.
final class LiveStream: SharedStream {
    private struct State {
        var viewers = StreamViewers()
        /// Wakes the viewers that wait.
        var wakeups: [Int: AsyncStream<Void>.Continuation] = [:]
        /// The fault that viewers see; `nil` while frames arrive.
        var fault: Fault?
        /// The last picture of the camera, for the background of faults.
        var background: [UInt8]?
        /// Distinguishes the frames of an open camera from those of an earlier one.
        var opening = 0
        /// `true` while frames of ``opening`` are shown.
        var isOpen = false
    }

    private struct Fault: Hashable {
        let error: CaptureError
        let start: WallTime

        /// The text on the picture.
        var words: String { "\(error.message)\nsince \(start.formatted("%H:%M:%S") ?? "now"); waiting for the camera" }
    }

    let request: StreamRequest
    private let camera: StreamCamera
    private let surroundings: StreamSurroundings
    private let state = Mutex(State())
    private let departures = Departures()
    /// Signals a new fault.
    private let faults = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// How often the painted picture of a fault is sent: a viewer that is gone is noticed then.
    private static let repetition = Duration.seconds(1)

    init(_ request: StreamRequest, of camera: StreamCamera, _ surroundings: StreamSurroundings) {
        (self.request, self.camera, self.surroundings) = (request, camera, surroundings)
    }

    /// The number of viewers.
    var viewerCount: Int { state.withLock { $0.viewers.count } }
    /// The state of the camera, as the stream sees it.
    var health: CameraHealth { camera.health }
    /// `true` after the end: no viewer can join.
    var hasEnded: Bool { state.withLock { $0.viewers.hasEnded } }

    /// Runs the stream. Returns 2 s after the last viewer has left, or after ``end()``, when the camera is released.
    func run() async {
        async let _ = capture()
        async let _ = showFaults()
        await departures.wait { span, now in state.withLock { $0.viewers.endIfUnused(for: span, at: now) } }
        end()
    }

    /// Ends the stream for all viewers.
    func end() {
        let wakeups = state.withLock { state in
            state.viewers.end()
            defer { state.wakeups = [:] }
            return state.wakeups.values
        }
        for wakeup in wakeups { wakeup.finish() }
        departures.finish()
        faults.continuation.finish()
    }
}

// MARK: - Viewers

extension LiveStream {
    /// Adds a viewer; `nil` if the stream has ended.
    func join() -> StreamViewer? {
        let (wakeups, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard let id = state.viewers.join() else { return nil }
            state.wakeups[id] = continuation
            return id
        }
        return id.map { StreamViewer(self, $0, wakeups) }
    }

    func next(for id: Int) -> StreamViewers.Answer { state.withLock { $0.viewers.next(for: id) } }

    func leave(_ id: Int) {
        let (wakeup, wasLast) = state.withLock { state in
            (state.wakeups.removeValue(forKey: id), state.viewers.leave(id, at: PipelineClock.system.now))
        }
        wakeup?.finish()
        if wasLast { departures.signal() }
    }

    private func publish(_ picture: StreamPicture, _ state: inout State) {
        for id in state.viewers.publish(picture) { state.wakeups[id]?.yield() }
    }
}

/// The live pictures of one viewer: each time the newest one, and none twice. One task at a time may iterate it. The
/// viewer leaves when the value is released.
public final class StreamViewer: Sendable {
    private let stream: LiveStream
    private let id: Int
    private let wakeups: AsyncStream<Void>

    init(_ stream: LiveStream, _ id: Int, _ wakeups: AsyncStream<Void>) {
        (self.stream, self.id, self.wakeups) = (stream, id, wakeups)
    }

    deinit { leave() }

    /// Leaves the stream: ``next()`` returns `nil`.
    package func leave() { stream.leave(id) }

    /// Waits for a picture that is newer than the last one. Returns `nil` at the end of the stream, and when the task
    /// is canceled.
    public func next() async -> StreamPicture? {
        while !Task.isCancelled {
            switch stream.next(for: id) {
            case .picture(let picture): return picture
            case .end: return nil
            case .wait:
                var iterator = wakeups.makeAsyncIterator()
                guard await iterator.next() != nil else { return nil }
            }
        }
        return nil
    }
}

// MARK: - Frames

extension LiveStream {
    /// Opens the camera, again after each fault, until the task is canceled.
    private func capture() async {
        let use = StreamCamera.Use(
            name: "a stream", configure: request.layers.choose,
            begin: { [request, surroundings] configuration in
                Encoding(
                    stream: self, encoder: LiveEncoder(request.live, of: configuration, surroundings.rasterizer))
            }, lose: fail, report: { [surroundings] in surroundings.report(self, $0) })
        guard let error = await camera.keepOpen(use) else { return }
        end()
        surroundings.giveUp(error)
    }

    /// The encoder for one configuration of the camera.
    private struct Encoding: FrameUser {
        let stream: LiveStream
        let encoder: LiveEncoder

        func open(_ session: CameraSession) -> @Sendable () async -> Void {
            let opening = stream.open()
            return { await stream.encode(session, opening, encoder) }
        }

        func close() async { await encoder.close() }
    }

    /// Returns the number of a camera that has been opened.
    private func open() -> Int {
        state.withLock { state in
            state.opening += 1
            state.isOpen = true
            return state.opening
        }
    }

    private func encode(_ session: CameraSession, _ opening: Int, _ encoder: LiveEncoder) async {
        let feed = FrameFeed(session)
        var limit = FrameRateLimit(request.rate.map(Double.init))
        while let frame = await feed.next() {
            // By the arrival: the times of some sources do not advance.
            guard wants(frame), limit.accepts(frame.arrival) else { continue }
            do throws(CaptureError) {
                let start = PipelineClock.system.now
                guard let picture = try await encoder.encode(frame) else { continue }
                surroundings.observer?.recordLivePicture(
                    of: camera.id, encodedIn: PipelineClock.system.now - start)
                for notice in picture.notices { surroundings.report(self, .notice(notice)) }
                publish(picture, opening)
            } catch {
                guard !Task.isCancelled else { return }
                report(error, of: opening)
                // Each attempt builds a pipeline.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Returns `true` if a viewer waits for a picture. Otherwise the frame makes the last picture old.
    private func wants(_ frame: Frame) -> Bool {
        state.withLock { state in
            if !state.viewers.isWanted { state.viewers.expire() }
            return state.viewers.isWanted
        }
    }

    private func publish(_ picture: LivePicture, _ opening: Int) {
        state.withLock { state in
            // A frame of a camera that has been lost meanwhile does not end the fault.
            guard state.isOpen, state.opening == opening else { return }
            (state.fault, state.background) = (nil, picture.bytes)
            publish(StreamPicture(bytes: picture.bytes, time: picture.time, fault: nil), &state)
        }
    }
}

// MARK: - Faults

extension LiveStream {
    /// Shows a fault of the camera until it is open again.
    private func fail(_ error: CaptureError) {
        state.withLock { state in
            state.isOpen = false
            show(error, &state)
        }
        faults.continuation.yield()
    }

    /// Shows an error of the encoder until a frame can be encoded.
    private func report(_ error: CaptureError, of opening: Int) {
        state.withLock { state in
            guard state.isOpen, state.opening == opening else { return }
            show(error, &state)
        }
        faults.continuation.yield()
    }

    private func show(_ error: CaptureError, _ state: inout State) {
        guard state.fault?.error != error else { return }
        state.fault = Fault(error: error, start: state.fault?.start ?? .now())
    }

    /// Paints each fault, and repeats its picture until frames arrive.
    private func showFaults() async {
        let painter = LivePainter(request.live, surroundings.rasterizer)
        for await _ in faults.stream {
            var painted: (fault: Fault, bytes: [UInt8])?
            while !Task.isCancelled, let fault = state.withLock({ $0.fault }) {
                if painted?.fault != fault {
                    let background = state.withLock { $0.background }
                    painted = (try? await painter.paint(fault.words, over: background)).map { (fault, $0) }
                }
                if let painted { publish(painted.bytes, of: painted.fault) }
                try? await Task.sleep(for: Self.repetition)
            }
        }
    }

    private func publish(_ bytes: [UInt8], of fault: Fault) {
        state.withLock { state in
            guard state.fault == fault else { return }
            publish(StreamPicture(bytes: bytes, time: .now(), fault: fault.error), &state)
        }
    }
}
