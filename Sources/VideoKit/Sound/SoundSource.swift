// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// A microphone that records: its sound as packets of AAC with the moments of their capture, and its level.
///
///     let microphone = try await SoundSource.open(.device("hw:1"))
///     let bridge = microphone.bridge { clip.receive($0) }
///     for await level in microphone.levels { show(level) }
///     if let failure = microphone.failure { report(failure) }
///
/// The pipeline of a microphone is independent of cameras: if the microphone is unplugged, their clips continue without
/// sound. The owner must call ``close()``.
package final class SoundSource: Sendable {
    /// The place where sound comes from.
    package enum Input: Sendable, Hashable {
        /// The microphone that the user has chosen in the desktop's settings, or the first of ALSA.
        case automatic
        /// A device of ALSA, such as `hw:1`.
        case device(String)
        /// Elements in gst-launch syntax, such as `audiotestsrc is-live=true`.
        case elements(String)
    }

    /// Samples a second.
    package static let sampleRate = 48_000

    /// The level, ten times a second. One task may iterate it; it ends when the microphone fails, and when the source is
    /// closed.
    package let levels: AsyncStream<SoundLevel>
    /// The encoder of the sound.
    package let encoder: SoundEncoder
    /// The name of the microphone, as errors have it.
    package let name: String

    private let pipeline: Pipeline
    private let outlet: FrameOutlet
    private let times = SoundTimes()
    private let end: SoundEnd

    /// Opens a microphone.
    ///
    /// - Parameters:
    ///   - bitrate: Bits a second.
    ///   - encoders: The encoders to choose from.
    /// - Throws: ``CaptureError`` with the microphone as its subject: `noMicrophone` if there is none, `temporary` if
    ///   another program uses it, `permission`; `configuration` if an element or an encoder is missing.
    package static func open(
        _ input: Input, bitrate: Int = 128_000, encoders: SoundEncoders = .shared
    ) async throws(CaptureError) -> SoundSource {
        let encoder = try await encoders.encoder()
        var failures: [CaptureError] = []
        for place in input.places {
            do throws(CaptureError) {
                let source = try SoundSource(place, encoder, bitrate)
                try await source.play()
                return source
            } catch {
                failures.append(error)
            }
        }
        // The last place is ALSA, whose error names the device.
        throw failures.last ?? CaptureError(.noMicrophone, "there is no microphone", subject: "sound")
    }

    private init(_ place: Place, _ encoder: SoundEncoder, _ bitrate: Int) throws(CaptureError) {
        (name, self.encoder) = (place.name, encoder)
        let (levels, continuation) = AsyncStream<SoundLevel>.makeStream(bufferingPolicy: .bufferingNewest(10))
        (self.levels, end) = (levels, SoundEnd(continuation, place.name))
        do throws(PipelineError) {
            pipeline = try Pipeline(
                "\(place.elements) ! audioconvert name=\(Place.entry) ! audioresample ! "
                    + "audio/x-raw,rate=\(Self.sampleRate),channels=[1,2] ! level interval=100000000 ! audioconvert ! "
                    + "\(encoder.description(bitrate: bitrate)) ! aacparse ! "
                    + "audio/mpeg,mpegversion=4,stream-format=raw ! appsink name=packets sync=false")
            // A property, because a name can contain anything.
            if let device = place.device { try pipeline.element(named: Place.element).set("device", to: device) }
            if let pad = try pipeline.element(named: Place.entry).pad("sink") { try times.attach(to: pad) }
            outlet = try FrameOutlet(named: "packets", in: pipeline)
        } catch {
            throw CaptureError(microphone: error, place.name)
        }
        pipeline.bus.handleSynchronously { [end] message, _ in end.receive(message) }
    }

    private func play() async throws(CaptureError) {
        do throws(PipelineError) {
            try await pipeline.play()
        } catch {
            pipeline.stopSoon()
            throw CaptureError(microphone: error, name)
        }
    }

    /// The reason why the microphone has failed; `nil` before, and after ``close()``.
    package var failure: CaptureError? { end.failure }

    /// The moment of the microphone's running time 0, on ``PipelineClock/system``; `nil` before it records.
    package var baseTime: ClockTime? { pipeline.baseTime }

    /// When the last packet arrived, on ``PipelineClock/system``; `nil` before the first.
    package var lastArrival: ClockTime? { outlet.lastArrival }

    /// Returns a bridge that passes each packet from now on to `body`, one at a time. `body` runs on a streaming thread: it
    /// must not wait.
    package func bridge(_ body: @escaping @Sendable (EncodedUnit) -> Void) -> FrameBridge {
        let priming = Duration.seconds(1) * encoder.priming / Self.sampleRate
        return outlet.bridge { [weak pipeline, times] sample in
            guard let base = pipeline?.baseTime, let time = sample.runningTime else { return }
            // The sum first: times cannot be negative. The packet comes from the buffer that has the deviation, or is one
            // packet later.
            let start = base + .nanoseconds(Int64(clamping: time.nanoseconds)) + times.deviation - priming
            body(EncodedUnit(sample, time: start, isKey: true))
        }
    }

    /// Closes the microphone and all bridges, and ends ``levels``.
    package func close() async {
        end.finish()
        // A driver that hangs keeps its thread; the stop is complete for the caller.
        try? await pipeline.stop()
        outlet.close()
    }
}

extension SoundSource {
    /// Elements that may have a microphone.
    fileprivate struct Place {
        static let element = "microphone"
        /// The element that receives the sound of all others.
        static let entry = "entry"

        let elements: String
        var device: String?
        let name: String
    }
}

extension SoundSource.Input {
    /// The places to try, in order. `autoaudiosrc` would choose elements that open without a microphone, and send nothing.
    fileprivate var places: [SoundSource.Place] {
        typealias Place = SoundSource.Place
        return switch self {
        case .automatic:
            ["pulsesrc"].filter { GStreamer.hasElement($0) }.map { Place(elements: $0, name: "sound") }
                + [Place(elements: "alsasrc", name: "sound")]
        case .device(let device):
            [Place(elements: "alsasrc name=\(Place.element)", device: device, name: device)]
        case .elements(let text): [Place(elements: text, name: "sound")]
        }
    }
}

/// The messages of a microphone up to its end.
private final class SoundEnd: Sendable {
    private let levels: AsyncStream<SoundLevel>.Continuation
    private let name: String
    private let error = Mutex<CaptureError?>(nil)

    init(_ levels: AsyncStream<SoundLevel>.Continuation, _ name: String) { (self.levels, self.name) = (levels, name) }

    var failure: CaptureError? { error.withLock { $0 } }

    /// Runs on the thread that posts the message.
    func receive(_ message: BusMessage) {
        switch message.content {
        case .element(let structure): if let level = SoundLevel(structure) { levels.yield(level) }
        case .error(let error):
            self.error.withLock { $0 = $0 ?? CaptureError(microphone: error, name) }
            levels.finish()
        case .endOfStream: levels.finish()
        default: break
        }
    }

    func finish() { levels.finish() }
}
