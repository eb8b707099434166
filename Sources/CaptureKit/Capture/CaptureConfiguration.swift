// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// All that a capture needs to know, checked and complete.
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
        /// To files of these names.
        case files(FileNameTemplate)
        /// To standard output, one after the other.
        case standardOutput
        /// To the caller, as bytes in ``CaptureEvent/captured(_:)``; nothing is written.
        case caller
    }

    /// Where frames come from.
    public var source: Source
    /// The format that the camera is asked for; what is `nil` is left to it.
    public var request = FormatRequest()
    /// Elements that make raw video of what the source gives, where it is neither raw nor JPEG.
    public var decode: String?

    /// How stills are encoded.
    public var still = StillFormat.jpeg
    /// JPEG and WebP quality, 1 to 100.
    public var quality = 90
    /// How stills and the preview are turned.
    public var orientation = Orientation.upright

    /// Where pictures go.
    public var output: Output
    /// True to replace files that exist.
    public var overwrites = false
    /// A symbolic link that always points to the newest picture.
    public var latest: String?
    /// How much a series may store, and what happens then.
    public var limits = StorageLimits()
    /// The bytes of pictures that may wait in memory while the disk is full or gone.
    public var heldBytes = 64 << 20
    /// A folder that has to be a mount point while pictures are stored; `nil` to go by the file system of the start.
    public var mount: String?
    /// What earlier runs of the series are known to have stored, from old to new; limits are for these, too.
    public var earlierStills: [StoredStill] = []
    /// The pictures that the ledger has of the series, or that a capture in this process has stored of it; they come before
    /// ``earlierStills``.
    var inventory: SeriesInventory?
    /// The number of the next picture, if a capture in this process hands its series over; `nil` to go by ``position``.
    var nextSequence: Int?

    /// The file that keeps the account of the series, see ``Ledger``; `nil` for none.
    public var ledger: String?

    /// When pictures are due.
    public var schedule = Schedule.single
    /// Where the series stands, for one that an earlier run began: it goes on with the same phase and numbering, and slots
    /// that were due meanwhile are missed. `nil` for a series that begins.
    public var position: SeriesPosition?
    /// How a capture in this process hands its series over; `nil` where an earlier process left it.
    var succession: SeriesSuccession?
    /// The first slot is not due before this long after the start.
    public var delay = Duration.zero
    /// How long before each slot the seconds are counted down.
    public var countdown = Duration.zero
    /// How long before each slot it is told of (``CaptureEvent/upcoming(_:in:)``), where there is that much time; zero for
    /// never. Without a delay, the first slot waits for as long.
    public var notice = Duration.zero
    /// How many frames in a row are taken for each slot.
    public var burst = 1

    /// How to wait for exposure to converge.
    public var settle = Settle.automatic()
    /// Controls to set before the first picture, by name.
    public var controls: [ControlAssignment] = []
    /// Automatic controls that are frozen once the picture is steady.
    public var locks: Set<LockableControl> = []
    /// What follows the light from picture to picture, once the picture is steady; nothing that is in ``locks``.
    public var ramps: Set<RampableControl> = []
    /// How far that goes from one picture to the next, and where to.
    public var rampLimits = RampLimits()
    /// The flash LED, where the driver has one.
    public var flash = FlashMode.off
    /// The control that takes the place of the flash LED, and its value while it is lit; `nil` for the LED.
    public var flashControl: ControlAssignment?

    /// The preview that is shown beside the stills; `nil` for none.
    public var preview: PreviewRequest?
    /// What is drawn on the preview.
    public var overlay: [Layer] = []
    /// What is drawn into the stills.
    public var burnIn: [Layer] = []
    /// How layers look, where they do not say it themselves.
    public var appearance = Style()

    /// What is done about a camera that is lost.
    public var recovery: Recovery {
        get { chosenRecovery ?? (schedule.isOnePicture ? .off : .always) }
        set { chosenRecovery = newValue }
    }
    private var chosenRecovery: Recovery?
    /// True where somebody wants a source to be recovered that might have come to its natural end.
    var isRecoveryAskedFor: Bool { chosenRecovery?.isOn ?? false }
    /// True to close the camera between pictures, where there is time: it is opened early enough to settle.
    public var standsBy = false
    /// No frame for this long is a stall; it is longer where frames are further apart. It is not counted before the first.
    public var stallLimit = Duration.seconds(2)
    /// No frame for this long ends a capture that does not recover; no first frame for this long is a loss.
    public var giveUp = Duration.seconds(10)

    /// Creates a configuration that takes one JPEG.
    public init(source: Source, output: Output) {
        self.source = source
        self.output = output
    }
}

extension CaptureConfiguration {
    /// Looks whether pictures can be stored where they are to go, and makes the folder for that. No camera is opened, and
    /// nothing is removed.
    ///
    /// - Throws: ``CaptureError`` with the folder or file that is in the way.
    public func checkOutput() async throws(CaptureError) { try await StillWriter(self).check() }

    /// What the source is called in messages.
    var sourceName: String { source.name }

    /// What the camera is called in texts on the preview.
    var cameraName: String {
        if case .camera(let camera) = source { camera.name } else { sourceName }
    }

    /// Frames of a burst that may wait to be written before the next is taken: cameras own only a few buffers.
    var heldFrames: Int { 3 }
}

extension CaptureConfiguration.Source {
    /// What it is called in messages.
    var name: String {
        switch self {
        case .camera(let camera): camera.path ?? camera.id
        case .fragment: "source"
        }
    }
}
