// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor
import PipelineKit
import Synchronization
import VideoKit

/// Keeps what a camera shows around pictures, and makes the movies of live photos.
///
/// The frames of a camera that sends JPEG are kept as they come, and encoded for a picture alone: waiting costs next to
/// nothing. Those of other cameras are encoded all the time. Any task may use it.
package final class LiveMotion: MotionRecording {
    private struct State {
        var ring: EncodedRing
        /// Counts the cameras.
        var camera = 0
        /// `true` while frames arrive.
        var isOpen = false
        /// Since when they do.
        var opened = ClockTime.zero
        var isAbandoned = false
        /// Why there are no frames.
        var failure: CaptureError?
        /// The format of frames that are not encoded yet; `nil` if they are.
        var caps: Caps?
        /// The first frames that pictures hold.
        private var holds: [Int: ClockTime] = [:]
        private var holdCount = 0

        init(ring: EncodedRing) { self.ring = ring }

        mutating func hold(since time: ClockTime) -> Int {
            holdCount += 1
            holds[holdCount] = time
            ring.heldSince = holds.values.min()
            return holdCount
        }

        mutating func release(_ hold: Int) {
            holds[hold] = nil
            ring.heldSince = holds.values.min()
        }

        /// Returns the frames from `start` to `end`, with their format; `nil` while more may come.
        ///
        /// - Parameter camera: The camera that the picture is from.
        func frames(
            of camera: Int, from start: ClockTime, to end: ClockTime, isLate: Bool
        ) throws(CaptureError) -> KeptFrames? {
            if isAbandoned { throw .noMovie("the capture was stopped") }
            if let failure { throw failure }
            guard self.camera == camera else { throw .noMovie("the camera was lost") }
            guard !isOpen || isLate || ring.end.map({ $0 >= end }) ?? false else { return nil }
            return (ring.units(since: start).filter { $0.time <= end }, caps)
        }

        /// `true` if the frames before a picture of this moment are kept, or no frame follows.
        func isFilled(for span: Duration, at now: ClockTime) -> Bool {
            !isOpen || isAbandoned || failure != nil || now - opened >= span
        }
    }

    /// Frames, and their format if they are not encoded.
    private typealias KeptFrames = (units: [EncodedUnit], caps: Caps?)

    /// The source of the frames.
    private enum Inlet {
        case frames(FrameBridge)
        case video(CameraVideo, reading: Task<Void, Never>)
    }

    private let configuration: CaptureConfiguration
    private let span: MotionSpan
    private let rasterizer: (any Rasterizer)?
    private let video: VideoSettings
    private let state: Mutex<State>
    private let inlet = Mutex<Inlet?>(nil)
    /// Wakes pictures that wait for frames.
    private let wakeup = Wakeup()

    /// How many bytes are kept at most.
    package static let memoryLimit = 64 << 20
    /// The largest size of a movie, in pixels.
    private static let size = PreviewSize(width: 1280, height: 720)
    /// Frames a second of a movie at most.
    private static let rate = 30
    /// How long after its end a movie waits for its last frame, and how much longer frames are kept than one needs.
    private static let patience = Duration.seconds(1)

    /// Prepares the movies of a capture; nothing is kept yet.
    ///
    /// - Parameters:
    ///   - configuration: The capture; without ``CaptureConfiguration/motion``, this is `nil`.
    ///   - rasterizer: Draws the layers that the pictures have; without it, there are none.
    package init?(_ configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)? = nil) {
        guard let span = configuration.motion else { return nil }
        (self.configuration, self.span, self.rasterizer) = (configuration, span, rasterizer)
        var video = VideoSettings()
        video.limit = Self.size
        video.frameRate = FrameRate(Self.rate)
        self.video = video
        let ring = EncodedRing(duration: span.before + span.after + Self.patience, limit: Self.memoryLimit)
        state = Mutex(State(ring: ring))
    }

    /// Finds an encoder, which can take seconds: call it before the camera is opened.
    ///
    /// - Throws: `CaptureError` if none works.
    package static func prepare() async throws(CaptureError) {
        _ = try await EncoderCatalog.shared.encoder(.automatic, for: nil)
    }

    package func follow(_ session: CameraSession) async {
        await rest()
        state.withLock { state in
            state.ring.removeAll()
            (state.isOpen, state.failure, state.caps, state.opened) = (true, nil, nil, ClockTime.now)
            state.camera += 1
        }
        do throws(CaptureError) {
            guard let caps = (try? await session.outlet.branch().nextSample())?.caps else { return await rest() }
            if caps.structures.first?.name == "image/jpeg" {
                keepFrames(of: session, caps)
            } else {
                try await encodeFrames(of: session)
            }
        } catch {
            state.withLock { $0.failure = error }
            wakeup.signal()
        }
    }

    package func rest() async {
        state.withLock { $0.isOpen = false }
        wakeup.signal()
        switch inlet.withLock({ $0.take() }) {
        case .frames(let bridge): bridge.close()
        case .video(let video, let reading):
            await video.close()
            await reading.value
        case nil: break
        }
    }

    /// Waits until a picture of the present has its time before it, or no frames arrive.
    package func fill() async {
        while !Task.isCancelled {
            let signals = wakeup.signals
            if state.withLock({ $0.isFilled(for: span.before, at: ClockTime.now) }) { return }
            await wakeup.wait(after: signals)
        }
    }

    /// The bytes of the frames that are kept.
    package var byteCount: Int { state.withLock { $0.ring.byteCount } }

    package func abandon() {
        state.withLock { $0.isAbandoned = true }
        wakeup.signal()
    }

    package func hold(since moment: ClockTime) -> MotionHold {
        let hold = state.withLock { $0.hold(since: moment - span.before) }
        return MotionHold { [weak self] in self?.state.withLock { $0.release(hold) } }
    }

    package func livePhoto(_ still: [UInt8], at moment: ClockTime) async throws(CaptureError) -> [UInt8] {
        let (kept, caps) = try await frames(around: moment)
        let units = if let caps { try await encoded(kept, caps) } else { kept }
        guard let first = units.first else { throw .noMovie("no frame was kept") }
        return try await BlockingWork.run { () throws(CaptureError) in
            try MotionPhoto.joined(
                still: still, movie: try ShortMovie.bytes(units), moment: max(.zero, moment - first.time))
        }
    }
}

// MARK: - Frames

extension LiveMotion {
    private func keepFrames(of session: CameraSession, _ caps: Caps) {
        state.withLock { $0.caps = caps }
        let limit = Mutex(FrameRateLimit(Double(Self.rate)))
        let bridge = session.outlet.bridge { [self] sample in
            let time = session.frame(of: sample).time
            guard limit.withLock({ $0.accepts(time) }) else { return }
            keep(EncodedUnit(sample.keepable(), time: time, isKey: true))
        }
        inlet.withLock { $0 = .frames(bridge) }
    }

    private func encodeFrames(of session: CameraSession) async throws(CaptureError) {
        guard let video = try await CameraVideo.open(session, of: configuration, self.video, rasterizer) else { return }
        let reader = video.encoder.outlet.reader()
        let reading = Task {
            do throws(PipelineError) {
                while let unit = try await reader.next() { keep(unit) }
            } catch {
                state.withLock { $0.failure = CaptureError(error, subject: "the encoder") }
                wakeup.signal()
            }
        }
        inlet.withLock { $0 = .video(video, reading: reading) }
    }

    private func keep(_ unit: EncodedUnit) {
        state.withLock { $0.ring.append(unit) }
        wakeup.signal()
    }

    /// Waits until all frames around a moment are there, or no more come.
    private func frames(around moment: ClockTime) async throws(CaptureError) -> KeptFrames {
        let camera = state.withLock { $0.camera }
        let (start, end) = (moment - span.before, moment + span.after)
        while !Task.isCancelled {
            let (signals, left) = (wakeup.signals, end + Self.patience - ClockTime.now)
            let kept = try state.withLock { (state) throws(CaptureError) in
                try state.frames(of: camera, from: start, to: end, isLate: left <= .zero)
            }
            if let kept { return kept }
            await TimeLimit.wait(atMost: left) { [wakeup] in await wakeup.wait(after: signals) }
        }
        throw .noMovie("the capture was stopped")
    }

    /// Encodes frames that were kept as JPEG.
    private func encoded(_ frames: [EncodedUnit], _ caps: Caps) async throws(CaptureError) -> [EncodedUnit] {
        let video = try await CameraVideo.ofKeptFrames(caps, of: configuration, self.video, rasterizer)
        let units: [EncodedUnit]
        do throws(CaptureError) {
            units = try await video.encode(frames)
        } catch {
            await video.close()
            throw error
        }
        await video.close()
        return units
    }
}

extension CaptureError {
    fileprivate static func noMovie(_ reason: String) -> CaptureError {
        CaptureError(.temporary, "has no movie: \(reason)")
    }
}
