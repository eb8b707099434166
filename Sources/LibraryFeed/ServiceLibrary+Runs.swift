// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LibraryKit
import ServiceKit
import SessionKit

/// A page of the runs of a session, newest first.
package struct RunPage: Sendable {
    /// The runs, as their records describe them.
    package var runs: [SessionArchive.Entry]
    /// The position after the last run; `nil` after the oldest.
    package var next: RunPosition?
    /// Reasons why the page may lack runs.
    package var faults: [String] = []
}

extension ServiceLibrary {
    /// Returns a page of the runs of a session. The index finds them, and their records describe them; damaged ones, and
    /// those that were removed meanwhile, are left out.
    ///
    /// - Parameters:
    ///   - position: The end of the page before; `nil` for the newest runs.
    ///   - limit: The maximum number of runs.
    ///   - event: The last event of the service: the page has the runs up to it, unless its faults say that the index is
    ///     behind.
    ///   - patience: The longest wait for the index.
    /// - Throws: `CaptureError` if the index cannot be read.
    package func runs(
        of session: ServiceSession, from position: RunPosition?, limit: Int, after event: Int,
        patience: Duration = .seconds(10)
    ) async throws(CaptureError) -> RunPage {
        let isCurrent = await progress.wait(for: event, atMost: patience)
        let (name, folder) = (session.file.session.name, session.output)
        var page = try await read { index throws(CaptureError) in
            let found = try index.runs(of: name, in: folder, from: position, limit: limit)
            return RunPage(runs: found.folders.compactMap { try? SessionArchive.entry(at: $0) }, next: found.next)
        }
        if !isCurrent || !progress.faults(of: [folder]).isEmpty {
            page.faults.append("the newest runs are not in the library yet")
        }
        return page
    }

    /// Returns the times at which runs have to be removed; see `RunRemovals`. It waits until the index has all records,
    /// which takes long at the first start with many of them.
    package func removals(in folders: Set<String>, after event: Int) async -> [String: WallTime]? {
        guard await progress.wait(for: event, atMost: .seconds(600)),
            progress.faults(of: folders.sorted()).isEmpty
        else { return nil }
        return try? await read { index throws(CaptureError) in
            var removals: [String: WallTime] = [:]
            for folder in folders { removals.merge(try index.removals(in: folder)) { $1 } }
            return removals
        }
    }
}
#endif
