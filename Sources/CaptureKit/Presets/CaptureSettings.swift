// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a preset, the environment or the command line says about a capture; what is `nil` it does not say.
///
/// Each property is one line of the table ``Setting/all``, which names its key, its option and its variable.
public struct CaptureSettings: Sendable, Hashable {
    /// The camera, by id, name, device node, `auto` or `scene`.
    public var camera: String?
    /// Elements in gst-launch syntax that take the place of a camera.
    public var source: String?
    /// Pixels in a row.
    public var width: Int?
    /// Rows.
    public var height: Int?
    /// Frames a second.
    public var framerate: FrameRate?
    /// GStreamer's pixel format such as `YUY2`, or `mjpeg`.
    public var format: String?
    /// Elements that make raw video of what the source gives; `auto` finds them (`decodebin`).
    public var decode: String?
    /// How to wait for exposure to converge.
    public var settle: Settle?
    /// Controls to set before the first picture, in this order.
    public var controls: [ControlAssignment]?
    /// Automatic controls to freeze once the picture is steady.
    public var lock: Set<LockableControl>?
    /// What follows the light from picture to picture.
    public var ramp: Set<RampableControl>?
    /// The most stops that exposure changes by from one picture to the next.
    public var rampRate: Double?
    /// The mean luma that a ramp keeps, 0 black to 1 white.
    public var rampTarget: Double?
    /// How a flash LED is used.
    public var flash: FlashMode?
    /// The control that takes the place of the flash LED, and its value while it is lit.
    public var flashControl: ControlAssignment?
    /// True to close the camera between pictures.
    public var standby: Bool?
    /// What is done about a camera that is lost.
    public var recover: Recovery?
    /// No frame for this long is a loss.
    public var stallAfter: Duration?

    /// How stills are encoded.
    public var encoding: StillFormat?
    /// JPEG and WebP quality, 1 to 100.
    public var quality: Int?
    /// How stills and the preview are turned, before they are mirrored.
    public var rotate: Rotation?
    /// How stills and the preview are mirrored.
    public var flip: Flip?
    /// The name of the files, with strftime's letters and `%n`; `-` is standard output.
    public var output: String?
    /// True to replace files that exist.
    public var overwrite: Bool?
    /// A symbolic link that always points to the newest picture.
    public var latest: String?
    /// The file that keeps the account of a series; `off` for none.
    public var ledger: String?
    /// True to go on with the series that the ledger knows.
    public var resume: Bool?
    /// What to draw into the stills.
    public var burnIn: [WrittenLayer]?

    /// How much of the disk stays free.
    public var keepFree: FreeSpaceFloor?
    /// How many bytes the pictures of a series may have in all.
    public var maxSize: Int?
    /// How old they may be.
    public var maxAge: Duration?
    /// How many there may be.
    public var maxCount: Int?
    /// What happens when that is reached.
    public var onLimit: LimitPolicy?
    /// The bytes of pictures that wait in memory while they cannot be stored.
    public var hold: Int?
    /// The folder that has to be a mount point.
    public var mount: String?

    /// What to draw on the preview.
    public var overlay: [WrittenLayer]?
    /// How layers look, where they do not say it themselves.
    public var appearance: Style?

    /// The time before the first picture.
    public var delay: Duration?
    /// How long before each picture the seconds are counted down.
    public var countdown: Duration?
    /// How many frames in a row are taken each time.
    public var burst: Int?

    /// The time from one picture to the next.
    public var interval: Duration?
    /// How many pictures there are.
    public var count: Int?
    /// How long the series goes on.
    public var length: Duration?
    /// When the series ends.
    public var until: WallClockTarget?
    /// When the series begins.
    public var start: WallClockTarget?
    /// True for pictures when the local clock shows multiples of the interval.
    public var align: Bool?
    /// The parts of a day in which there are pictures.
    public var hours: [DailyHours]?
    /// The days of the week on which there are pictures.
    public var days: Set<Weekday>?
    /// Degrees north of the equator, for when the sun rises.
    public var latitude: Double?
    /// Degrees east of Greenwich, for when the sun rises.
    public var longitude: Double?
    /// What becomes of pictures that can only be taken late.
    public var lateSlots: LatePolicy?

    /// What the shell runs before each picture.
    public var execBefore: String?
    /// What the shell runs when the pictures of a slot are durable.
    public var execAfter: String?
    /// What the shell runs when the camera is lost.
    public var execLost: String?
    /// What the shell runs when the camera is back.
    public var execRecovered: String?
    /// How long each of these may take.
    public var execLimit: Duration?

    /// Pixels in a row of the preview.
    public var previewWidth: Int?
    /// Rows of the preview.
    public var previewHeight: Int?
    /// Frames a second of the preview.
    public var previewFramerate: FrameRate?
    /// True to show the preview as a mirror does.
    public var mirror: Bool?
    /// Where the preview is shown.
    public var previewSink: PreviewSink?

    /// Of a session, the camera that looks at the user, by id, name, device node or `scene`.
    public var front: String?
    /// Of a session, the camera that looks away from the screen.
    public var back: String?
    /// Of a session, whether and where it beeps; see ``SoundRequest/init(_:)``.
    public var sound: String?
    /// Of a session, the sensor that feels shake.
    public var accelerometer: AccelerometerRequest?
    /// Of a session, pictures that can be brought in, and folders of them.
    public var library: [String]?

    /// The kind of capture that a preset is made for.
    public var mode: CaptureMode?

    /// Settings that say nothing.
    public init() {}

    /// How long a command beside a series may take, where it is not said.
    public static let standardExecLimit = Duration.seconds(10)
}

extension CaptureSettings {
    /// These settings, with what they do not say taken from `base`.
    ///
    /// Controls are merged one by one. A camera takes the place of a source, with its decoder, and a source that of a
    /// camera; either takes the place of the cameras of a session's roles, and those of both. A file name that says how it is encoded takes the place of an encoding. What is locked is not ramped by
    /// what `base` says, and the other way round.
    public func merging(over base: CaptureSettings) -> CaptureSettings {
        var base = base
        if camera != nil { (base.source, base.decode) = (nil, nil) }
        if source != nil { base.camera = nil }
        if camera != nil || source != nil { (base.front, base.back) = (nil, nil) }
        if front != nil || back != nil { (base.camera, base.source, base.decode) = (nil, nil, nil) }
        if let output, StillFormat(fileName: output) != nil { base.encoding = nil }
        base.lock?.subtract((ramp ?? []).map(\.lockable))
        base.ramp = base.ramp?.filter { lock?.contains($0.lockable) != true }
        var merged = self
        for setting in Setting.all { setting.fill(&merged, base) }
        return merged
    }

    /// What ``CameraCatalog/resolve(_:)`` is to find; `nil` where frames come from elements, or from the scene.
    public var cameraToFind: String? {
        guard source == nil, camera != Camera.sceneID else { return nil }
        return camera ?? CameraCatalog.automatic
    }

    /// The keys that are set and can run commands of the shell or any elements of GStreamer.
    var runningKeys: [String] {
        var sinkElements: String?
        if case .elements(let text) = previewSink { sinkElements = text }
        let texts = [
            ("source", source), ("decode", decode == "auto" ? nil : decode), ("exec-before", execBefore),
            ("exec-after", execAfter), ("exec-lost", execLost), ("exec-recovered", execRecovered),
            ("preview-sink", sinkElements),
        ]
        return texts.compactMap { key, text in text == nil ? nil : key }
    }

    /// Tells the layers of a setting what errors shall say they are from.
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

    /// What is wrong with the settings of one origin as a whole.
    func check() throws(InvalidValue) {
        guard camera == nil || source == nil else {
            throw InvalidValue("there is a camera already, and only one of the two can be", advice: "leave one out")
        }
        guard front == nil && back == nil || camera == nil && source == nil else {
            throw InvalidValue("is for all stages of a session, and so are front and back", advice: "leave one out")
        }
    }
}
