// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Makes the sounds of a session heard: one after the other, each by a pipeline of its own, so that nothing runs while it
/// is silent.
///
/// Nobody waits for it. Of the sounds that wait while another is heard, the newest is kept. Where there is no sound, that
/// is told once, and all is silent from then on.
final class Chime: Sendable {
    private let tones: AsyncStream<ChimeTone>.Continuation?
    private let work: Task<Void, Never>?

    /// Prepares it; nothing is opened yet.
    ///
    /// - Parameter report: Told once, why nothing is heard; from any thread.
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

    /// Makes a tone heard, at once or after the one that is. From any thread; it returns at once.
    func play(_ tone: ChimeTone) { tones?.yield(tone) }

    /// Waits until what was asked for is heard; nothing is afterwards.
    func close() async {
        tones?.finish()
        await work?.value
    }
}

extension Chime {
    /// Loudspeakers that take longer to open, or to end, are none.
    private static let patience = Duration.seconds(3)

    private static func sound(_ tone: ChimeTone, _ elements: String) async throws(PipelineError) {
        let pipeline = try Pipeline("appsrc name=tone format=time ! audioconvert ! audioresample ! \(elements)")
        let source = try AppSource(named: "tone", in: pipeline, caps: Caps(ChimeTone.caps))
        let messages = pipeline.bus.messages()
        let watchdog = Task {
            try await Task.sleep(for: tone.duration + patience)
            pipeline.stopSoon()
        }
        defer { watchdog.cancel() }
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

    private static func waitForEnd(_ messages: BusMessages) async throws(PipelineError) {
        for await message in messages {
            switch message.content {
            case .endOfStream: return
            case .error(let error): throw error
            // Without any loudspeaker, autoaudiosink warns, and goes on in silence.
            case .warning(let error) where message.source == SoundRequest.automaticName: throw error
            default: break
            }
        }
        throw PipelineError(.deadline, "the sound does not end")
    }
}

extension CaptureError {
    /// Why there is no sound.
    fileprivate init(sound error: PipelineError) {
        self.init(
            .configuration, "nothing is heard: \(error.message)", subject: "sound",
            advice: error.advice ?? "check the loudspeaker, or turn the sound off")
    }
}
