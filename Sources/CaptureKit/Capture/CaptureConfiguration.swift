// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameMeasures
import OverlayCompositor
import ScheduleKit
import StillKit

/// All settings of a capture, checked and complete.
public struct CaptureConfiguration: Sendable {
    /// Where frames come from.
    public enum Source: Sendable, Hashable {
        /// A camera, or the built-in scene.
        case camera(Camera)
        /// Elements in gst-launch syntax.
        case fragment(String)
    }

    /// Where pictures go.
    public enum Output: Sendable, Hashable {
        /// To files with these names.
        case files(FileNameTemplate)
        /// To standard output, one after the other.
        case standardOutput
        /// To the caller, as bytes in ``CaptureEvent/captured(_:)``; nothing is written.
        case caller
    }

    /// Where frames come from.
    public var source: Source
    /// The format to request from the camera; the camera chooses the fields that are `nil`.
    public var request = FormatRequest()
    /// Elements that convert the source to raw video, if it delivers neither raw video nor JPEG.
    public var decode: String?

    /// How stills are encoded.
    public var still = StillFormat.jpeg
    /// JPEG and WebP quality, 1 to 100.
    public var quality = 90
    /// The movie that joins each picture, which is a live photo then; `nil` for plain pictures. It needs JPEG files.
    public var motion: MotionSpan?
    /// How stills and the preview are turned.
    public var orientation = Orientation.upright

    /// Where pictures go.
    public var output: Output
    /// `true` to replace existing files.
    public var overwrites = false
    /// A symbolic link that always points to the newest picture.
    public var latest: String?
    /// The limits on what a series stores, and the policy when one is reached.
    public var limits = StorageLimits()
    /// The pictures of the ledger that an outbox has sent; `nil` without one. Then no picture counts as sent.
    package var sentPictures: (any SentPictures)?
    /// How many bytes of pictures may wait in memory while the disk is full or gone, or with ``Output/caller`` while no
    /// task iterates ``CaptureController/events``.
    public var heldBytes = 64 << 20
    /// A folder that must be a mount point while pictures are stored; `nil` to require the file system of the start.
    public var mount: String?
    /// The known pictures that earlier runs of the series stored, oldest first; the limits count them, too.
    public var earlierStills: [StoredStill] = []
    /// The pictures of the series that its ledger lists, or that a capture in this process stored; they precede
    /// ``earlierStills``.
    var inventory: SeriesInventory?
    /// The number of the next picture, if a capture in this process hands its series over; `nil` to use that of
    /// ``position``.
    var nextSequence: Int?

    /// The file that keeps the account of the series, see `Ledger`; `nil` for none.
    public var ledger: String?

    /// When pictures are due.
    public var schedule = Schedule.single
    /// The position of a series that an earlier run began. The series resumes with the same phase and numbering, and
    /// slots that were due meanwhile are missed. `nil` to begin a new series.
    public var position: SeriesPosition?
    /// How a capture in this process hands its series over; `nil` if an earlier process began the series.
    var succession: SeriesSuccession?
    /// How long after the start the first slot is due at the earliest.
    public var delay = Duration.zero
    /// How long before each slot its countdown begins.
    public var countdown = Duration.zero
    /// How long before each slot ``CaptureEvent/upcoming(_:in:)`` is emitted; later if the slot becomes the next one
    /// after that. Zero for never. Without a delay, the first slot waits that long.
    public var notice = Duration.zero
    /// How long before a trigger the frame of its picture was captured. It has no effect on slots of the schedule.
    public var leadTime = Duration.zero
    /// How long the newest frames are kept while the camera is open, for pictures from before a request; zero for none.
    /// The longest time of all jobs that share the camera counts.
    public var history = Duration.zero
    /// How many consecutive frames are captured for each slot.
    public var burst = 1

    /// How to wait for exposure to converge.
    public var settle = Settle.automatic()
    /// Controls to set before the first picture, by name. Elements in place of a camera have none, which a notice
    /// reports.
    public var controls: [ControlAssignment] = []
    /// Automatic controls that are frozen once the picture is steady.
    public var locks: Set<LockableControl> = []
    /// The controls that follow the light from picture to picture, once the picture is steady; ``locks`` must not
    /// contain them.
    public var ramps: Set<RampableControl> = []
    /// How far ramps change from one picture to the next, and their target.
    public var rampLimits = RampLimits()
    /// The use of the flash LED, if the driver has one.
    public var flash = FlashMode.off
    /// The control that takes the place of the flash LED, and its value while it is lit; `nil` for the LED.
    public var flashControl: ControlAssignment?

    /// The preview to show beside the stills; `nil` for none.
    public var preview: PreviewRequest?
    /// The layers drawn on the preview.
    public var overlay: [Layer] = []
    /// The layers drawn into the stills.
    public var burnIn: [Layer] = []
    /// The style of layers that do not set their own.
    public var appearance = Style()

    /// How a lost camera is recovered. By default, a capture of one picture ends with the loss (``Recovery/off``), and
    /// any other waits for the camera (``Recovery/always``).
    public var recovery: Recovery {
        get { chosenRecovery ?? (schedule.isOnePicture ? .off : .always) }
        set { chosenRecovery = newValue }
    }
    private var chosenRecovery: Recovery?
    /// `true` if the user explicitly requires recovery, even for a source that may have reached its natural end.
    var isRecoveryRequested: Bool { chosenRecovery?.isOn ?? false }
    /// `true` to close the camera between pictures if there is time: it is reopened early enough to settle.
    public var standsBy = false
    /// No frame for this long is a stall, and with ``recovery`` a loss; eight frame durations if that is longer. Before
    /// the first frame, a stall is only reported: the camera is lost after ``giveUp``.
    public var stallLimit = Duration.seconds(2)
    /// No frame for this long ends a capture that does not recover; no first frame for this long is a loss.
    public var giveUp = Duration.seconds(10)

    /// `true` if other jobs may use the frames, too; a lease sets it.
    var isShared = false

    /// Creates a configuration that captures one JPEG.
    public init(source: Source, output: Output) {
        self.source = source
        self.output = output
    }
}

extension CaptureConfiguration {
    /// Checks that pictures can be stored at the output, and creates the folder for them. It opens no camera and
    /// removes nothing.
    ///
    /// - Throws: `CaptureError` with the folder or file that prevents it.
    public func checkOutput() async throws(CaptureError) { try await StillWriter(self).check() }

    /// The conditions under which the pictures are stored.
    package var storage: StoragePolicy { StoragePolicy(mount: mount, limits: limits) }

    /// The name of the source in messages.
    package var sourceName: String { source.name }

    /// The camera in the service that delivers its frames; `nil` if this process opens the source.
    var servedCamera: ServedCamera? {
        if case .camera(let camera) = source { camera.service } else { nil }
    }

    /// The controls that are set: ``controls``, or none for elements in place of a camera.
    var controlsInForce: [ControlAssignment] {
        if case .camera = source { controls } else { [] }
    }

    /// The name of the camera in texts on the preview and in pictures.
    package var cameraName: String {
        if case .camera(let camera) = source { camera.name } else { sourceName }
    }

    /// The name of the job in errors of jobs that cannot share its camera.
    var jobName: String { preview != nil ? "a preview" : schedule.isOnePicture ? "a picture" : "a series" }

    /// How many frames of a burst may wait to be stored before the next is captured: cameras own only a few buffers.
    var heldFrames: Int { 3 }
}

extension CaptureConfiguration.Source {
    /// The name of the source in messages.
    var name: String {
        switch self {
        case .camera(let camera): camera.path ?? camera.id
        case .fragment: "source"
        }
    }

    /// `true` if libcamera reads the camera.
    var isLibcamera: Bool {
        switch self {
        case .camera(let camera): camera.kind == .libcamera
        case .fragment(let text): text.contains("libcamerasrc")
        }
    }
}
