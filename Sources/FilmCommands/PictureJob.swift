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

extension PictureJob {
    /// Shows the events of a function until it returns.
    ///
    /// - Parameter continuation: Ends the events with the function.
    /// - Returns: The result of the function.
    static func following<Event: Sendable, Report: Sendable>(
        _ events: AsyncStream<Event>, _ continuation: AsyncStream<Event>.Continuation, show: (Event) -> Void,
        while body: @escaping @Sendable () async throws(CaptureError) -> Report
    ) async throws(CaptureError) -> Report {
        async let result = outcome(of: body, continuation)
        for await event in events { show(event) }
        return try await result.get()
    }

    private static func outcome<Event: Sendable, Report: Sendable>(
        of body: @Sendable () async throws(CaptureError) -> Report, _ continuation: AsyncStream<Event>.Continuation
    ) async -> Result<Report, CaptureError> {
        defer { continuation.finish() }
        do throws(CaptureError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
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
                let (plan, report) = try source.plan(settings, of: options.name)
                return (plan, report, source.title)
            } catch {
                throw error.subject == nil ? error.about(options.name) : error
            }
        }
    }
}
