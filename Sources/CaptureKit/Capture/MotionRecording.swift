// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The time that the movie of a live photo shows.
public struct MotionSpan: Sendable, Hashable {
    /// The time before the moment of the picture, and the time after it.
    public var before = Duration.milliseconds(1500), after = Duration.milliseconds(1500)

    /// Creates a span of 3 seconds around the picture.
    public init() {}
}

/// Keeps what a camera shows around pictures, and makes live photos of them. Any task may use it.
package protocol MotionRecording: Sendable {
    /// Keeps the frames of a camera from now on, instead of those of an earlier one.
    func follow(_ session: CameraSession) async

    /// Keeps no more frames. When this returns, no frame of the camera is held. Movies that still lack frames end here.
    func rest() async

    /// Makes no more movies: those that wait for frames fail.
    func abandon()

    /// Keeps the frames of a picture until its movie has them, however long storing the picture takes.
    ///
    /// - Parameter moment: When the picture is captured, at the earliest.
    /// - Returns: Holds the frames, as memory allows, until it is released.
    func hold(since moment: ClockTime) -> MotionHold

    /// Waits until the movie of a picture is complete, and joins it to the picture.
    ///
    /// - Parameters:
    ///   - still: The file of the picture, a JPEG.
    ///   - moment: When the picture was captured, on `PipelineClock.system`.
    /// - Returns: The file with the movie.
    /// - Throws: `CaptureError` without a subject if there is no movie; `temporary` if the task is canceled.
    func livePhoto(_ still: [UInt8], at moment: ClockTime) async throws(CaptureError) -> [UInt8]
}

/// Holds the frames around a picture until it is released.
package final class MotionHold: Sendable {
    private let release: @Sendable () -> Void

    package init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}

/// A live photo whose movie is still missing: it has its file, and no line in the ledger.
struct UnjoinedStill: Sendable {
    let still: Still

    /// `nil` if the picture has no file.
    init?(_ still: Still) {
        guard still.path != nil else { return nil }
        self.still = still
    }

    var path: String { still.path ?? "" }

    /// When the picture was captured.
    var moment: ClockTime { still.slot.due + still.offset }

    /// Returns the content of the file.
    ///
    /// - Throws: `CaptureError` if it cannot be read, or another program has changed it.
    func bytes() throws(CaptureError) -> [UInt8] {
        let bytes = try RegularFile.read(path, most: still.byteCount + 1)
        guard bytes.count == still.byteCount, still.inspection.map({ SHA256.digits(of: bytes) == $0.sha256 }) ?? true
        else { throw CaptureError(.inputOutput, "was changed by another program", subject: path) }
        return bytes
    }
}
