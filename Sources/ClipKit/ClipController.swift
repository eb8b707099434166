// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor
import PipelineKit
import VideoKit

/// Records clips of a camera: for a time, until it is stopped, in segments, or around triggers.
///
///     let controller = ClipController(configuration)
///     Task { for await event in controller.events { if case .recorded(let clip) = event { print(clip.path) } } }
///     let summary = await controller.run()
///
/// Series, pictures and previews may use the camera at the same time if they share its ``CameraHub``. Pictures and sound
/// are written as they come: a crash costs the last picture. After a crash, ``ClipFile`` makes an ordinary movie of what
/// was written.
public actor ClipController {
    /// The events as they occur; for one task. If it falls behind, the oldest are dropped.
    public nonisolated let events: AsyncStream<ClipEvent>

    private nonisolated let continuation: AsyncStream<ClipEvent>.Continuation
    private nonisolated let configuration: ClipConfiguration
    private nonisolated let hub: CameraHub
    private let rasterizer: (any Rasterizer)?
    private let recorder: ClipRecorder
    /// Runs the calls of ``recorder`` one after the other.
    private var work = TaskChain()
    private var video: CameraVideo?
    private var microphone: SoundSource?
    private var lossTime: ClockTime?
    private var failure: CaptureError?
    /// The recording is over.
    private nonisolated let over = Signal()
    /// The first packet of sound has come, or there is no sound.
    private nonisolated let soundKnown = Signal()
    /// No file waits for its last sound after the latest change.
    private nonisolated let soundComplete = Signal()

    /// How many bytes may wait for a slow disk.
    private static let queueLimit = 32 << 20
    /// How many packets of sound may wait: about 40 s.
    private static let packetLimit = 2000
    /// How long a microphone has for its first packet, and for the last one of a file.
    private static let firstSoundPatience = Duration.seconds(3), lastSoundPatience = Duration.seconds(1)

    /// Prepares a recording; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - hub: The cameras that other jobs use, too.
    ///   - rasterizer: Draws the layers that are burnt in; without it, there are none.
    public init(_ configuration: ClipConfiguration, hub: CameraHub = CameraHub(), rasterizer: (any Rasterizer)? = nil) {
        self.init(configuration, hub: hub, rasterizer: rasterizer, accounting: nil)
    }

    /// Prepares a recording whose files are accounted for.
    package init(
        _ configuration: ClipConfiguration, hub: CameraHub, rasterizer: (any Rasterizer)?,
        accounting: (any ClipAccounting)?
    ) {
        (self.configuration, self.hub, self.rasterizer) = (configuration, hub, rasterizer)
        let (events, continuation) = AsyncStream.makeStream(of: ClipEvent.self, bufferingPolicy: .bufferingNewest(4096))
        (self.events, self.continuation) = (events, continuation)
        recorder = ClipRecorder(
            configuration.plan, configuration.names, accounting, byteLimit: configuration.memoryLimit
        ) { continuation.yield($0) }
    }

    /// Records until the plan is done, or ``stop()`` is called. Call it once.
    public func run() async -> ClipSummary {
        do throws(CaptureError) {
            try await findEncoder()
        } catch {
            failure = error
            return await end()
        }
        await openMicrophone()
        let lease = hub.lease(configuration.camera, for: "a recording")
        if configuration.plan.trigger != nil { emit(.armed(byteLimit: configuration.memoryLimit)) }
        await withTaskGroup { group in
            group.addTask { await self.follow(lease) }
            if let microphone {
                group.addTask { await self.listen(to: microphone) }
                group.addTask { await self.measure(microphone) }
            }
            await over.wait()
            await awaitLastSound()
            group.cancelAll()
        }
        await video?.close()
        await lease.close()
        await microphone?.close()
        await change { await $0.finishClosing() }
        return await end()
    }

    /// Tries the encoders, which can take seconds: the camera is opened after it. If none works, the camera may send H.264
    /// itself, as its first frame shows.
    private func findEncoder() async throws(CaptureError) {
        guard !configuration.isEncodedByCamera else { return }
        let choice = configuration.video.encoder
        do throws(CaptureError) {
            _ = try await configuration.encoders.encoder(choice, for: nil)
        } catch {
            guard choice == .automatic, configuration.camera.mayDeliverH264 else { throw error }
        }
    }

    /// Ends the recording with the current picture. Any task may call this.
    public func stop() async {
        await change { await $0.stop() }
    }

    /// Ends the current clip with the current picture. With times around a trigger, later triggers begin further clips;
    /// without, a recording whose files have different names continues in another file.
    package func endClip() async {
        await change { await $0.interrupt(.stopped) }
    }

    /// Begins a clip around the present, or extends the current one. It has no effect without times around a trigger in the
    /// plan.
    public func trigger() async {
        let now = PipelineClock.system.now
        await change { await $0.trigger(at: now) }
    }

    private nonisolated func emit(_ event: ClipEvent) { continuation.yield(event) }

    /// Calls the recorder after all earlier calls.
    private func change(_ body: @escaping @Sendable (ClipRecorder) async -> Void) async {
        work.add { [self] in await perform(body) }
        await work.finish()
    }

    private func perform(_ body: @Sendable (ClipRecorder) async -> Void) async {
        await body(recorder)
        if await recorder.needsKeyFrame { video?.encoder.outlet.requestKeyFrame() }
        if await recorder.isOver { over.give() }
        if await !recorder.isClosing { soundComplete.give() }
    }

    private func end() async -> ClipSummary {
        var summary = await recorder.summary
        if let failure { summary.ending = .failed(failure) }
        emit(.finished(summary))
        continuation.finish()
        return summary
    }
}

// MARK: - The camera

extension ClipController {
    /// Encodes the pictures of the camera whenever it is open.
    private func follow(_ lease: CameraLease) async {
        // A file has sound from its beginning, or none.
        if microphone != nil { await soundKnown.wait(atMost: Self.firstSoundPatience) }
        emit(.opening(source: configuration.camera.sourceName))
        await lease.open()
        await withTaskGroup { group in
            for await event in lease.events {
                switch event {
                case .ready(let camera, _): group.addTask { await self.record(camera.session) }
                case .lost(let error): await lose(error)
                case .recovered(let span): emit(.recovered(after: span))
                // At the natural end of a source, a picture that is still in the encoder is lost.
                case .ended(let error), .gone(let error): return await giveUp(error)
                case .notice(let notice): emit(.notice(notice))
                case .opening, .negotiated, .stalled, .recovering: break
                }
            }
        }
    }

    private func record(_ session: CameraSession) async {
        do throws(CaptureError) {
            guard
                let video = try await CameraVideo.open(
                    session, of: configuration.camera, configuration.video, rasterizer,
                    encoders: configuration.encoders)
            else { return }
            self.video = video
            emit(.encoding(video.format))
            await change { await $0.use(video.format) }
            await write(video)
            await video.close()
        } catch {
            await change { await $0.interrupt(.encoder(error)) }
        }
    }

    private func write(_ video: CameraVideo) async {
        let reader = video.encoder.outlet.reader(limit: Self.queueLimit)
        do throws(PipelineError) {
            while let unit = try await reader.next() {
                let dropped = video.encoder.droppedCount + reader.skippedCount
                await change { await $0.add(picture: unit, dropped: dropped) }
            }
        } catch {
            let failure = CaptureError(error, subject: "the encoder")
            await change { await $0.interrupt(.encoder(failure)) }
        }
    }

    private func lose(_ error: CaptureError) async {
        emit(.lost(error))
        await change { await $0.interrupt(.lost(error)) }
        // Its reader gets no more pictures.
        await video?.close()
        video = nil
    }

    private func giveUp(_ error: CaptureError) async {
        failure = error
        await change { await $0.interrupt(.lost(error)) }
        await stop()
    }
}

// MARK: - Sound

extension ClipController {
    /// Opens the microphone. Without it, the recording is silent, and a notice says so.
    private func openMicrophone() async {
        guard let input = configuration.sound else { return }
        do throws(CaptureError) {
            microphone = try await SoundSource.open(input)
            emit(.microphone(microphone?.name))
        } catch {
            emit(.notice(Notice(.microphoneLost, error)))
        }
    }

    private func listen(to microphone: SoundSource) async {
        let (packets, continuation) = AsyncStream.makeStream(
            of: EncodedUnit.self, bufferingPolicy: .bufferingNewest(Self.packetLimit))
        let bridge = microphone.bridge { continuation.yield($0) }
        defer { bridge.close() }
        for await unit in packets {
            await change { recorder in
                await recorder.use(sound: unit.sample.caps)
                await recorder.add(sound: unit)
            }
            soundKnown.give()
        }
    }

    /// Waits until the last file has its last sound, but no longer than a second. Signals of earlier changes count nothing.
    private func awaitLastSound() async {
        await TimeLimit.wait(atMost: Self.lastSoundPatience) { [recorder, soundComplete] in
            while await recorder.isClosing, !Task.isCancelled { await soundComplete.wait() }
        }
    }

    /// Reports the level of the microphone until it fails or is closed.
    private func measure(_ microphone: SoundSource) async {
        for await level in microphone.levels { emit(.level(peak: level.peak.max() ?? SoundLevel.silence)) }
        guard let error = microphone.failure else { return }
        await change { recorder in
            await recorder.use(sound: nil)
            await recorder.finishClosing()
        }
        soundKnown.give()
        emit(.notice(Notice(.microphoneLost, error)))
        emit(.microphone(nil))
    }
}

extension ClipConfiguration {
    /// `true` if the pictures of the camera are to be H.264.
    fileprivate var isEncodedByCamera: Bool {
        video.encoder == .only(.camera) || camera.request.format?.lowercased() == "h264"
    }

    /// How many bytes of pictures before a trigger are kept at most: twice as many as the bit rate needs.
    fileprivate var memoryLimit: Int {
        let seconds = Double((plan.trigger?.before ?? .zero).nanoseconds) / 1e9
        return min(256 << 20, max(4 << 20, Int(seconds * Double(video.bitRate ?? 8_000_000) / 4)))
    }
}
