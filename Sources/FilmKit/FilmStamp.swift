// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit

/// The time of a picture, drawn into its frame.
struct FilmStamp: Sendable {
    private let planner: OverlayPlanner
    private let format: String
    private static let name = "time"

    /// - Parameter format: The format of the time (`strftime(3)`).
    init(_ format: String, _ rasterizer: any Rasterizer) {
        (self.format, planner) = (format, OverlayPlanner(rasterizer))
    }

    /// Returns the text of a picture: its time in the zone of its capture.
    func text(of picture: FilmPicture) -> String { picture.moment.time.formatted(format) ?? "" }

    /// Returns the plan of a picture's text.
    ///
    /// - Throws: ``CaptureError`` if the text cannot be drawn.
    func plan(for picture: FilmPicture, _ info: VideoInfo) async throws(CaptureError) -> OverlayPlan {
        let layer = Layer(
            Self.name, .text(TextTemplate(verbatim: text(of: picture))),
            Placement(position: UnitPoint(1, 1), size: 0.045))
        do throws(OverlayError) {
            let result = try await planner.plan(OverlayContents([layer]), at: 0, for: info)
            // The planner would keep the text of another picture.
            if let failure = result.failures.first { throw failure.error }
            return result.plan
        } catch {
            throw CaptureError(.software, error.message, subject: "--time", advice: error.advice)
        }
    }
}
