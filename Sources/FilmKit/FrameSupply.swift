// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Supplies the pictures of a film with their pixels, in the order of the film.
protocol FrameSupply: Sendable {
    /// The next picture, and its pixels or the reason why it has none.
    typealias Supplied = (frame: FilmPlan.Frame, pixels: Result<Buffer, CaptureError>)
    /// The pictures that are being loaded.
    typealias Loading = ThrowingTaskGroup<FrameQueue.Loaded, any Error>

    /// The format of the frames.
    var info: VideoInfo { get }
    /// `true` if no picture follows, for now or at all.
    var hasEnded: Bool { get }
    /// `true` if no picture follows, and the film is complete with those so far.
    var isComplete: Bool { get }

    /// Returns the next picture, and waits for it; `nil` if none follows.
    ///
    /// - Parameter group: Loads pictures.
    mutating func next(_ group: inout Loading) async throws -> Supplied?

    /// Adds to the end of a part what another run needs to continue after it.
    ///
    /// - Parameter start: The end of the part before.
    func seal(_ part: inout FilmJournal.Part, after start: FilmJournal.Part)
}

extension Result where Failure == CaptureError {
    /// Creates the result of a call.
    init(of body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error as? CaptureError ?? CaptureError(.software, "\(error)"))
        }
    }
}
