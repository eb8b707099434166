// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import OverlayCompositor
import PresetKit
import StillKit
import VideoKit

/// Records one clip of a session with a camera that the session has open. It has a separate lease on that camera, which
/// is not opened a second time.
final class SessionRecorder: Sendable {
    /// The id of the camera.
    let cameraID: String
    private let camera: CaptureConfiguration
    private let hub: CameraHub
    private let rasterizer: (any Rasterizer)?
    private let length: Duration
    private let video: VideoSettings
    private let microphone: MicrophoneRequest
    private let encoders: EncoderCatalog
    /// Completes when the clip is to end before its time.
    private let stopRequest = Completion()

    /// Encoder and microphone are opened this long before the zero of a clip.
    static let lead = Duration.seconds(1)

    /// Prepares a clip; opens nothing yet.
    ///
    /// - Parameters:
    ///   - camera: The configuration of the open camera.
    ///   - id: The id of that camera.
    ///   - hub: Owns that camera.
    ///   - rasterizer: Draws the layers that are burned in; `nil` to draw none.
    ///   - encoders: The encoders of the machine.
    init(
        _ camera: CaptureConfiguration, id: String, _ hub: CameraHub, _ rasterizer: (any Rasterizer)?,
        length: Duration, _ video: VideoSettings, _ microphone: MicrophoneRequest, _ encoders: EncoderCatalog
    ) {
        var camera = camera
        camera.preview = nil
        (self.camera, self.hub, self.rasterizer, self.length) = (camera, hub, rasterizer, length)
        (self.video, self.microphone, self.encoders, cameraID) = (video, microphone, encoders, id)
    }

    /// Ends the clip with its current picture. Any thread may call this.
    func stop() { stopRequest.complete() }

    /// Records the clip. If the task is canceled, or this throws, an unfinished file may be left.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist.
    ///   - zero: The moment of the first picture, unless encoder and microphone need longer.
    ///   - storage: Checks that the disk has room for the clip.
    ///   - report: Called with the first picture, with notices, and with each change of the recording, the last of which
    ///     follows when everything is closed.
    /// - Returns: `nil` if the camera is lost, which its session reports, or if the task is canceled.
    /// - Throws: ``CaptureError`` if the clip cannot be encoded or stored.
    func record(
        to path: String, from zero: ClockTime, _ storage: SessionStorage,
        _ report: @escaping @Sendable (Event) async -> Void
    ) async throws(CaptureError) -> Clip? {
        var configuration = ClipConfiguration(camera: camera, names: FileNameTemplate(verbatim: path))
        (configuration.plan.begin, configuration.plan.length) = (zero, length)
        configuration.sound = SoundSource.Input(microphone)
        (configuration.video, configuration.encoders) = (video, encoders)
        let room = ClipRoom(storage: storage, length: length)
        let controller = ClipController(configuration, hub: hub, rasterizer: rasterizer, accounting: room)
        async let summary = controller.run()
        async let stop: Void = stop(controller)
        var (clip, recording) = (Clip?.none, SessionRecording())
        for await event in controller.events {
            let former = recording
            switch event {
            case .began:
                recording.isOn = true
                await report(.begun)
            case .recorded(let recorded): (clip, recording.isOn) = (recorded, false)
            case .microphone(let name): recording.microphone = name
            case .notice(let notice): await report(.notice(notice))
            default: break
            }
            if recording != former { await report(.changed(recording)) }
        }
        let ending = await summary.ending
        stopRequest.complete()
        await stop
        if recording != SessionRecording() { await report(.changed(SessionRecording())) }
        return try Self.result(clip, ending)
    }

    /// Ends a recording on request.
    private func stop(_ controller: ClipController) async {
        await stopRequest.wait()
        await controller.stop()
    }

    private static func result(_ clip: Clip?, _ ending: CaptureEnding) throws(CaptureError) -> Clip? {
        guard !Task.isCancelled else { return nil }
        guard let clip else {
            if case .failed(let error) = ending { throw error }
            throw .emptyClip
        }
        switch clip.ending {
        case .lost: return nil
        case .storage(let error), .encoder(let error): throw error
        case .format, .segment: throw .otherFormat
        case .stopped, .elapsed:
            guard clip.duration > .zero else { throw .emptyClip }
            return clip
        }
    }
}

extension SessionRecorder {
    /// An event of a clip.
    enum Event: Sendable {
        /// The first picture is being recorded.
        case begun
        /// The state of the recording.
        case changed(SessionRecording)
        /// A message for the user.
        case notice(Notice)
    }
}

/// Checks before the file of a clip is created that the disk has room for all of it.
private struct ClipRoom: ClipAccounting {
    let storage: SessionStorage
    let length: Duration

    func plan(_ path: String, start: WallTime, format: ClipFormat) async throws(CaptureError) {
        try await storage.checkSpace(for: Int(Double(format.bitRate) / 8e9 * Double(length.nanoseconds)))
    }

    func complete(_ clip: Clip) async throws(CaptureError) {}

    func fail(_ path: String, because error: CaptureError) async {}
}

extension CaptureError {
    fileprivate static let emptyClip = CaptureError(
        .temporary, "the clip has no pictures", subject: "session", advice: "check the camera, and record it again")

    fileprivate static let otherFormat = CaptureError(
        .temporary, "the camera changed its format during the clip", subject: "session", advice: "record it again")
}
