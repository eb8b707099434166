// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import PresetKit

/// Plays the sounds of a session one after the other. Each sound has a separate pipeline, so that nothing runs in
/// between.
///
/// Callers never wait for a sound. While a sound plays, only the newest pending one is kept. If a sound fails, the
/// chime reports the error once and stays silent from then on.
final class Chime: Sendable {
    private let tones: AsyncStream<ChimeTone>.Continuation?
    private let work: Task<Void, Never>?

    /// Prepares the chime; it opens nothing yet.
    ///
    /// - Parameter report: Called once, on any thread, with the error that silenced the chime.
    init(_ request: SoundRequest, report: @escaping @Sendable (CaptureError) -> Void) {
        guard let elements = request.elements else {
            (tones, work) = (nil, nil)
            return
        }
        let (stream, tones) = AsyncStream.makeStream(of: ChimeTone.self, bufferingPolicy: .bufferingNewest(1))
        self.tones = tones
        work = Task {
            for await tone in stream {
                do throws(PipelineError) { try await Self.sound(tone, elements) } catch {
                    tones.finish()
                    if !Task.isCancelled { report(CaptureError(sound: error)) }
                    return
                }
            }
        }
    }

    deinit {
        tones?.finish()
        work?.cancel()
    }

    /// Plays a tone at once, or after the current one. May be called from any thread; returns at once.
    func play(_ tone: ChimeTone) { tones?.yield(tone) }

    /// Waits until all pending tones have been played; later tones are ignored.
    func close() async {
        tones?.finish()
        await work?.value
    }
}

extension Chime {
    /// The longest time that a loudspeaker may take to open or to end; a slower one counts as missing.
    private static let patience = Duration.seconds(3)

    private static func sound(_ tone: ChimeTone, _ elements: String) async throws(PipelineError) {
        let pipeline = try Pipeline("appsrc name=tone format=time ! audioconvert ! audioresample ! \(elements)")
        let source = try AppSource(named: "tone", in: pipeline, caps: Caps(ChimeTone.caps))
        let messages = pipeline.bus.messages()
        // Canceled, and waited for, when this returns.
        async let _: Void = stop(pipeline, after: tone.duration + patience)
        do throws(PipelineError) {
            try await pipeline.play(deadline: patience)
            try source.push(tone.buffer())
            try source.endStream()
            try await waitForEnd(messages)
        } catch {
            pipeline.stopSoon()
            throw error
        }
        try await pipeline.stop(deadline: patience)
    }

    /// Stops a sound that takes longer, so that its bus ends.
    private static func stop(_ pipeline: Pipeline, after limit: Duration) async {
        if (try? await Task.sleep(for: limit)) != nil { pipeline.stopSoon() }
    }

    private static func waitForEnd(_ messages: BusMessages) async throws(PipelineError) {
        for await message in messages {
            switch message.content {
            case .endOfStream: return
            case .error(let error): throw error
            // If there is no loudspeaker, autoaudiosink warns and continues silently.
            case .warning(let error) where message.source == SoundRequest.automaticName: throw error
            default: break
            }
        }
        throw PipelineError(.deadline, "the sound does not end")
    }
}

extension CaptureError {
    /// The error of a sound that cannot be played.
    fileprivate init(sound error: PipelineError) {
        self.init(
            .configuration, "cannot be played: \(error.message)", subject: "sound",
            advice: error.advice ?? "check the loudspeaker, or turn the sound off")
    }
}
