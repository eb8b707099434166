// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import PipelineKit
import PresetKit
import StillKit
import VideoKit

/// The settings of a session besides its description.
public struct SessionConfiguration: Sendable {
    /// The destination of the pictures.
    public enum Output: Sendable, Hashable {
        /// A new folder for the session, created in this one.
        case folder(in: String)
        /// The folder of an earlier run, which is resumed.
        case resumed(folder: String)
        /// The caller, as bytes in ``SessionOutcome/pictures``; no file is kept.
        case caller
    }

    /// The cameras, by role. A single camera plays both roles; without a camera, pictures can only be brought in.
    ///
    /// A session uses these settings of each configuration: the source with its format and decoder, the controls, the
    /// locks and the flash, the settling of the exposure, the encoding, quality and orientation of stills, the layers
    /// burned into them, and the recovery with its limits.
    public var cameras: [CameraRole: CaptureConfiguration]
    /// The destination of the pictures.
    public var output: Output
    /// The conditions under which pictures are stored. A session removes no pictures: of the limits only
    /// ``StorageLimits/keepFree`` counts.
    public var storage = StoragePolicy()
    /// Layers on the preview, below the session's.
    public var overlay: [Layer] = []
    /// The content of the preview, and its sink. The default has no display, but gates still see the frames.
    public var preview: PreviewRequest = .nowhere
    /// The style of all drawings.
    public var appearance = Style()
    /// The output for the session's sounds.
    public var sound = SoundRequest.off
    /// The microphone of clips whose stages have ``MicrophoneRequest/automatic``; `off` makes all clips silent.
    public var microphone = MicrophoneRequest.automatic
    /// The JPEG quality of crops, 1...100.
    public var cropQuality = 95
    /// The accelerometer that detects shake, in addition to the picture.
    public var accelerometer = AccelerometerRequest.off
    /// The library that finds outlines.
    public var outlines = OutlineLibrary()
    /// The file that the session was read from, of which a copy is stored with the pictures; `nil` if a program created
    /// the session.
    public var definition: SessionFile?
    /// Remembers which tutorials the user knows; `nil` to remember nothing.
    public var tutorialMemory: TutorialMemory?
    /// `true` if the viewer can press keys: the preview then shows them.
    public var hasKeys = false
    /// `true` if the preview's window reports presses: the preview then shows buttons in place of the keys.
    public var hasButtons = false
    /// How long the last screen stays, unless a request closes it. With the default, 0, there is no last screen. A
    /// session that is canceled before it begins has none, too.
    public var farewell = Duration.zero
    /// The values of the session's fields that are known already, by name.
    public var form: [String: String] = [:]
    /// The time without a request after which the session is canceled, in place of ``SessionDescription/idle``; `nil`
    /// for the session's.
    public var idle: Duration?
    /// `true` if ``SessionDescription/idle`` also cancels a session that is not begun.
    public var endsUnbegun = false
    /// `true` to run without a user: the session begins by itself, skips only the tutorial, captures or brings in each
    /// picture, and accepts the pictures.
    public var isAutomatic = false
    /// The paths of library pictures. Each call of ``SessionController/bring()`` brings in the next one. An automatic
    /// session brings them in by itself: give it no cameras then, because a stage whose camera delivers can capture.
    public var library: [String] = []
    /// How the pictures of ``library`` are moved under the outline before they are cropped.
    public var adjustment = CropAdjustment()
    /// Reads the time of day; tests replace it.
    package var wallClock: @Sendable () -> WallTime = { .now() }
    /// The encoders of clips; tests replace them.
    package var encoders = EncoderCatalog.shared

    /// Creates a configuration.
    public init(cameras: [CameraRole: CaptureConfiguration], output: Output) {
        self.cameras = cameras
        self.output = output
    }
}

extension PreviewRequest {
    /// A preview without a display: only gates see the frames.
    public static var nowhere: PreviewRequest {
        var request = PreviewRequest()
        request.sink = .none
        return request
    }
}

extension SessionConfiguration {
    /// The microphone of a stage's clip.
    func microphone(of stage: SessionStage) -> MicrophoneRequest {
        switch stage.microphone {
        case .automatic: microphone
        case .device, .elements: microphone == .off ? .off : stage.microphone
        case .off: .off
        }
    }

    /// Checks that the clips of a session can be recorded: that there is a camera, and an encoder that works, unless the
    /// camera encodes. Without an encoder, opens the camera to see that, and closes it again.
    func checkClips(of session: SessionDescription, _ cameras: SessionCameras) async throws(CaptureError) {
        var formats: [CameraRole?: Caps] = [:]
        for stage in session.stages where stage.clip != nil {
            guard !self.cameras.isEmpty else { throw .clipWithoutCamera(stage.name) }
            guard !isAutomatic || library.isEmpty else { throw .clipInLibrary(stage.name) }
            let choice = stage.video.encoder
            do throws(CaptureError) {
                _ = try await encoders.encoder(choice, for: nil)
            } catch {
                let camera = cameras.camera(for: stage.camera)
                guard [.automatic, .only(.camera)].contains(choice), let camera, camera.mayDeliverH264 else {
                    throw error
                }
                if formats[stage.camera] == nil { formats[stage.camera] = await camera.format() }
                guard let format = formats[stage.camera] else { throw error }
                _ = try await encoders.encoder(choice, for: format)
            }
        }
    }
}

extension CaptureError {
    fileprivate static func clipWithoutCamera(_ stage: String) -> CaptureError {
        CaptureError(.usage, "its clip needs a camera", subject: stage, advice: "connect a camera, and name it")
    }

    fileprivate static func clipInLibrary(_ stage: String) -> CaptureError {
        CaptureError(
            .usage, "its clip cannot come from a library", subject: stage, advice: "leave out --auto or --library")
    }
}
