// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit

/// One run of a command that makes files of pictures.
package protocol PictureJob: Sendable {
    /// Makes the files, and prints all about them.
    func run() async -> PictureJobOutcome

    /// Ends the run after the current picture. Any thread may call this.
    ///
    /// - Returns: `false` if nothing was written yet.
    func stop() -> Bool
}

/// The outcome of a run.
package enum PictureJobOutcome: Sendable, Hashable {
    /// The files or the plan are complete.
    case complete
    /// The run was stopped before its last picture.
    case stopped
    case failed(CaptureError)
}

extension PictureChoiceOptions {
    /// Reads the pictures, and plans a film of them.
    ///
    /// - Returns: The plan, its report, and the title of the pictures.
    func plan(
        _ settings: FilmSettings
    ) async throws(CaptureError) -> (plan: FilmPlan, report: FilmReport, title: String) {
        let options = self
        return try await BlockingWork.run { () throws(CaptureError) in
            let source = try options.pictures()
            do throws(CaptureError) {
                let plan = try FilmPlan(source.pictures, settings, isOrdered: source.isSeries)
                return (plan, FilmReport(plan, of: options.name, skipped: source.skipped), source.title)
            } catch {
                throw error.subject == nil ? error.about(options.name) : error
            }
        }
    }
}
