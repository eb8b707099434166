// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameMeasures
import OverlayCompositor
import ScheduleKit
import StillKit

/// Settings of a capture from a preset, the environment or the command line. A property is `nil` if it is not set.
///
/// Each property is one entry of ``Setting/all``, which defines its key, its option and its variable.
public struct CaptureSettings: Sendable, Hashable {
    /// The camera, by id, name, device node, `auto` or `scene`.
    public var camera: String?
    /// Elements in gst-launch syntax in place of a camera.
    public var source: String?
    /// The width of the camera's frames, in pixels.
    public var width: Int?
    /// The height of the camera's frames, in pixels.
    public var height: Int?
    /// The camera's frame rate, in frames a second.
    public var framerate: FrameRate?
    /// GStreamer's pixel format such as `YUY2`, or `mjpeg`.
    public var format: String?
    /// Elements that convert the source to raw video; `auto` chooses them (`decodebin`).
    public var decode: String?
    /// How to wait for exposure to converge.
    public var settle: Settle?
    /// Controls to set before the first picture, in this order.
    public var controls: [ControlAssignment]?
    /// Automatic controls to freeze once the picture is steady.
    public var lock: Set<LockableControl>?
    /// Controls that follow the light from picture to picture.
    public var ramp: Set<RampableControl>?
    /// The largest change of exposure from one picture to the next, in stops.
    public var rampRate: Double?
    /// The mean luma that a ramp keeps, 0 black to 1 white.
    public var rampTarget: Double?
    /// How a flash LED is used.
    public var flash: FlashMode?
    /// The control in place of the flash LED, with its value while it is lit.
    public var flashControl: ControlAssignment?
    /// `true` to close the camera between pictures if there is enough time.
    public var standby: Bool?
    /// How to recover a lost camera.
    public var recover: Recovery?
    /// How long the camera may deliver no frame before it counts as lost.
    public var stallAfter: Duration?

    /// How stills are encoded.
    public var encoding: StillFormat?
    /// JPEG and WebP quality, 1 to 100.
    public var quality: Int?
    /// `true` to make live photos: each picture gets the movie around it.
    public var live: Bool?
    /// How stills and the preview are rotated, before they are mirrored.
    public var rotate: Rotation?
    /// How stills and the preview are mirrored.
    public var flip: Flip?
    /// The file name, with strftime conversions and `%n`; `-` is standard output.
    public var output: String?
    /// `true` to replace existing files.
    public var overwrite: Bool?
    /// A symbolic link that always points to the newest picture.
    public var latest: String?
    /// The file of the ledger; `off` for none.
    public var ledger: String?
    /// `true` to resume the last series of the ledger.
    public var resume: Bool?
    /// Layers to draw into the stills.
    public var burnIn: [UnresolvedLayer]?

    /// The disk space to keep free.
    public var keepFree: FreeSpaceFloor?
    /// The maximum total size of a series' pictures, in bytes.
    public var maxSize: Int?
    /// The maximum age of these pictures.
    public var maxAge: Duration?
    /// The maximum number of these pictures.
    public var maxCount: Int?
    /// The maximum age of these pictures when an outbox has sent them.
    public var maxAgeSent: Duration?
    /// `true` if pictures that are not sent stay, and the series ends at a limit.
    public var keepUnsent: Bool?
    /// The file of the outbox that sends the pictures; `nil` for the standard paths.
    public var outbox: String?
    /// The state folder of its sender; `nil` for that of this process.
    public var outboxState: String?
    /// The action when the series reaches a limit.
    public var onLimit: LimitPolicy?
    /// The maximum memory for pictures that cannot be stored yet, in bytes.
    public var hold: Int?
    /// The folder that must be a mount point.
    public var mount: String?

    /// Layers to draw on the preview.
    public var overlay: [UnresolvedLayer]?
    /// The style of layers, for attributes that they do not set.
    public var appearance: Style?

    /// The time before the first picture.
    public var delay: Duration?
    /// How long the newest frames are kept while the camera is open, for pictures from before a request.
    public var history: Duration?
    /// When a picture is captured, relative to its trigger; negative.
    public var at: Duration?
    /// The length of the countdown before each picture.
    public var countdown: Duration?
    /// The number of frames in each burst.
    public var burst: Int?

    /// The time from one picture to the next.
    public var interval: Duration?
    /// The number of pictures.
    public var count: Int?
    /// The length of the series.
    public var length: Duration?
    /// When the series ends.
    public var until: WallClockTarget?
    /// When the series begins.
    public var start: WallClockTarget?
    /// `true` to capture when the local clock shows multiples of the interval.
    public var align: Bool?
    /// The parts of a day in which pictures are captured.
    public var hours: [DailyHours]?
    /// The days of the week on which pictures are captured.
    public var days: Set<Weekday>?
    /// Degrees north of the equator, from which sunrise and sunset are computed.
    public var latitude: Double?
    /// Degrees east of Greenwich, from which sunrise and sunset are computed.
    public var longitude: Double?
    /// How to handle slots whose picture can only be captured late.
    public var lateSlots: LatePolicy?

    /// The shell command that runs before each picture.
    public var execBefore: String?
    /// The shell command that runs when the pictures of a slot are durable.
    public var execAfter: String?
    /// The shell command that runs when the camera is lost.
    public var execLost: String?
    /// The shell command that runs when the camera is back.
    public var execRecovered: String?
    /// The time limit of each of these commands.
    public var execLimit: Duration?

    /// The width of the preview, in pixels.
    public var previewWidth: Int?
    /// The height of the preview, in pixels.
    public var previewHeight: Int?
    /// The frame rate of the preview, in frames a second.
    public var previewFramerate: FrameRate?
    /// `true` to mirror the preview.
    public var mirror: Bool?
    /// The sink that shows the preview.
    public var previewSink: PreviewSink?

    /// The size of the video of a recording.
    public var videoSize: VideoSize?
    /// The maximum frame rate of the video, in frames a second.
    public var videoFramerate: FrameRate?
    /// The encoder of the video: `auto`, `camera`, or the name of an element.
    public var videoCodec: String?
    /// The bit rate of the video, in bits a second.
    public var bitrate: Int?
    /// The length of a file of a recording.
    public var segment: Duration?
    /// The microphone of a recording: `off`, `auto`, a device of ALSA, or elements; see ``MicrophoneRequest/init(_:)``.
    public var audio: String?
    /// `true` to record only around triggers.
    public var trigger: Bool?
    /// How long before a trigger a recording begins.
    public var pre: Duration?
    /// How long after the last trigger a recording ends.
    public var post: Duration?
    /// The maximum length of a recording around triggers.
    public var atMost: Duration?

    /// The films that are made while a series runs.
    public var film: FilmPeriod?
    /// The number of pictures that such a film shows in a second.
    public var filmRate: FrameRate?
    /// The size of the film; `nil` for that of the pictures.
    public var filmSize: VideoSize?
    /// The picture that the film shows if others are missing.
    public var filmGaps: FilmGaps?
    /// The format of the time that is burnt into the film (`strftime(3)`).
    public var filmTime: String?
    /// `true` to remove flicker from the film.
    public var filmDeflicker: Bool?
    /// The encoder of the film: `auto`, or the name of an element.
    public var filmCodec: String?
    /// The bit rate of the film, in bits a second.
    public var filmBitrate: Int?
    /// The maximum age of films.
    public var filmMaxAge: Duration?

    /// The camera of a session that faces the user, by id, name, device node or `scene`.
    public var front: String?
    /// The camera of a session that faces away from the screen.
    public var back: String?
    /// The cameras of further roles of a session, each as `role=camera`.
    public var role: [String]?
    /// The sounds of a session: `on`, `off`, or elements that end in a sink; see ``SoundRequest/init(_:)``.
    public var sound: String?
    /// The sensor with which a session detects shake.
    public var accelerometer: AccelerometerRequest?
    /// Pictures, and folders of pictures, that the user can import into a session.
    public var library: [String]?
    /// The move of a library picture under the outline, as `x,y` in sizes of the outline.
    public var move: String?
    /// The zoom of a library picture.
    public var zoom: String?
    /// The turn of a library picture, clockwise, in degrees.
    public var turn: String?
    /// `true` to run a session without a user.
    public var auto: Bool?
    /// The language of a session's texts, as a BCP 47 tag.
    public var language: String?
    /// `true` to begin a session again after each run.
    public var loop: Bool?
    /// The time without a request after which a session is canceled.
    public var idle: Duration?
    /// Values of a session's fields, each as `name=value`.
    public var field: [String]?
    /// The shell command that runs when a picture of a session is safe on disk, in place of ``execAfter``.
    public var execPicture: String?
    /// The shell command that runs when the pictures of a session were accepted.
    public var execAccepted: String?

    /// The kind of capture that a preset is made for.
    public var mode: CaptureMode?

    /// Creates settings in which nothing is set.
    public init() {}

    /// The default time limit of commands that run beside a series.
    public static let standardExecLimit = Duration.seconds(10)
}

extension CaptureSettings {
    /// Returns these settings, with unset ones taken from `base`.
    ///
    /// Controls and the attributes of the appearance are merged one by one. A camera replaces a source and its decoder;
    /// a source replaces a camera. Either of them replaces the cameras of a session's roles, and these replace
    /// both. A file name that determines the encoding replaces the encoding of `base`. A control that is locked here is
    /// not ramped because of `base`, and the reverse.
    public func merging(over base: CaptureSettings) -> CaptureSettings {
        guard base != CaptureSettings() else { return self }
        var base = base
        if camera != nil { (base.source, base.decode) = (nil, nil) }
        if source != nil { base.camera = nil }
        if camera != nil || source != nil { (base.front, base.back, base.role) = (nil, nil, nil) }
        if front != nil || back != nil || role != nil { (base.camera, base.source, base.decode) = (nil, nil, nil) }
        if let output, StillFormat(fileName: output) != nil { base.encoding = nil }
        base.lock?.subtract((ramp ?? []).map(\.lockable))
        base.ramp = base.ramp?.filter { lock?.contains($0.lockable) != true }
        var merged = self
        for setting in Setting.all { setting.fill(&merged, base) }
        return merged
    }

    /// The camera for `CameraCatalog.resolve(_:)` to find; `nil` if frames come from elements or from the scene.
    public var cameraToFind: String? {
        guard source == nil, camera != Camera.sceneID else { return nil }
        return camera ?? CameraCatalog.automatic
    }

    /// The keys in these settings whose values can run shell commands or arbitrary GStreamer elements. SECURITY.md and
    /// docs/presets.md list them, too.
    package var runningKeys: [String] {
        var sinkElements: String?
        if case .elements(let text) = previewSink { sinkElements = text }
        var soundElements: String?
        if case .elements(let text) = sound.map(SoundRequest.init) { soundElements = text }
        let texts = [
            ("source", source), ("decode", decode == "auto" ? nil : decode), ("exec-before", execBefore),
            ("exec-after", execAfter), ("exec-lost", execLost), ("exec-recovered", execRecovered),
            ("exec-picture", execPicture), ("exec-accepted", execAccepted), ("preview-sink", sinkElements),
            ("sound", soundElements), ("audio", audio.flatMap { MicrophoneRequest($0).elements }),
        ]
        return texts.compactMap { key, text in text == nil ? nil : key }
    }

    /// Sets the origin that errors name for the layers of a setting.
    mutating func nameOrigin(of key: String, _ name: (TextPlace?) -> String) {
        let layers = [("overlay", \CaptureSettings.overlay), ("burn-in", \CaptureSettings.burnIn)]
        for (_, property) in layers.filter({ $0.0 == key }) {
            self[keyPath: property] = self[keyPath: property]?.map { layer in
                var layer = layer
                layer.origin = name(layer.place)
                return layer
            }
        }
    }

    /// Checks the settings of one origin against each other.
    func check() throws(InvalidValue) {
        guard camera == nil || source == nil else {
            throw InvalidValue("camera and source exclude each other", advice: "leave out one of them")
        }
        guard front == nil && back == nil && role == nil || camera == nil && source == nil else {
            throw InvalidValue("camera or source excludes front, back and role", advice: "leave out one of them")
        }
    }
}
