// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionKit

/// The pictures of the accepted sessions of a folder, for the outbox. The store gives each session lines when it is
/// found; they never change.
///
/// Every call blocks. A value belongs to one thread at a time.
package final class SessionUploads: UploadSource {
    /// Sessions need no identity: each is known by its folder and its beginning.
    package static let identity: String = "sessions"

    let identity: String
    private let folder: String
    private let store: OutboxStore
    /// The number of the source in the store.
    let source: Int64
    private let clock: AgeClock

    /// Opens the folder of sessions, which need not exist.
    ///
    /// - Parameter clock: Judges whether consents have ended.
    package init(_ folder: String, _ store: OutboxStore, clock: AgeClock = .current()) throws(CaptureError) {
        (self.folder, self.store, self.clock, identity) = (folder, store, clock, Self.identity)
        source = try store.source(folder, identity: Self.identity)
    }

    /// The result of a search for sessions.
    package struct Search: Sendable {
        /// The names of the sessions that may be accepted later.
        package var pending: Set<String> = []
        /// The errors of damaged records. These sessions are left out until they can be read.
        package var errors: [CaptureError] = []
    }

    /// Gives lines to the accepted sessions that have none.
    package func register() throws(CaptureError) -> Search {
        let (known, names) = (try store.runNames(of: source), Set(DeviceFiles.names(in: folder)))
        // An empty folder may be a disk that is away.
        if !names.isEmpty { for name in known.subtracting(names) { try store.markGone(name, of: source) } }
        return try register(names.subtracting(known).filter { !$0.hasPrefix(".") })
    }

    /// Gives lines to one session if it was accepted. It must have none.
    package func register(run name: String) throws(CaptureError) -> Search { try register([name]) }

    private func register(_ names: Set<String>) throws(CaptureError) -> Search {
        var (search, found) = (Search(), [(name: String, session: AcceptedSession)]())
        for name in names where DeviceFiles.exists(folder + "/" + name + "/" + SessionRecord.fileName) {
            do throws(CaptureError) {
                switch try AcceptedSession.State(folder + "/" + name) {
                case .accepted(let session): found.append((name, session))
                case .pending: search.pending.insert(name)
                case .canceled: break
                }
            } catch {
                search.errors.append(error)
            }
        }
        for (name, session) in found.sorted(by: { $0.session.ended.seconds < $1.session.ended.seconds }) {
            try store.add(session, named: name, to: source)
        }
        return search
    }

    package func newestLine() throws(CaptureError) -> Int { try store.newestLine(of: source) }

    /// The moment of the end of the session with a line, or of the next one.
    package func ended(line: Int) throws(CaptureError) -> WallTime? {
        try store.runs(of: source, in: line...Int.max, .oldest, most: 1).first?.ended
    }

    /// Returns the line of a picture; `nil` if it is not sent, or its session has no lines.
    ///
    /// - Parameters:
    ///   - name: The name of its file.
    ///   - run: The name of the folder of its session.
    func line(ofPicture name: String, in run: String) throws(CaptureError) -> Int? {
        guard let run = try store.run(named: run, of: source) else { return nil }
        return session(of: run)?.pictures(from: run.lines.lowerBound).first { DeviceFiles.name(of: $0.path) == name }?
            .line
    }

    /// Returns the session of a run; `nil` if its record is gone or another one.
    private func session(of run: SessionRun) -> AcceptedSession? {
        guard case .accepted(let session)? = try? AcceptedSession.State(folder + "/" + run.name),
            session.begun == run.begun
        else { return nil }
        return session
    }

    package func pictures(
        in lines: ClosedRange<Int>, _ order: UploadOrder, most: Int
    ) throws(CaptureError) -> UploadPage {
        var page = UploadPage(pictures: [], lines: lines)
        let runs = try store.runs(of: source, in: lines, order, most: max(1, most))
        for run in runs {
            let range = run.lines.clamped(to: lines)
            // A session is read once: all of its pictures become jobs.
            let found = run.isOver(by: clock) ? nil : session(of: run)?.pictures(from: run.lines.lowerBound)
            let pictures = (found ?? []).filter { range.contains($0.line) }
            page.pictures += pictures
            if pictures.count < range.count { page.unsent += Set(range).subtracting(pictures.map(\.line)) }
            if page.pictures.count >= most || run == runs.last && runs.count >= most {
                page.lines = Self.read(lines, run, order)
                break
            }
        }
        page.pictures.sort { $0.line < $1.line }
        return page
    }

    /// Returns the part of a range up to the end of a run.
    private static func read(_ lines: ClosedRange<Int>, _ run: SessionRun, _ order: UploadOrder) -> ClosedRange<Int> {
        switch order {
        case .oldest: lines.lowerBound...min(lines.upperBound, run.lines.upperBound)
        case .newest: max(lines.lowerBound, run.lines.lowerBound)...lines.upperBound
        }
    }
}

/// An accepted session with the lines of its pictures.
struct SessionRun: Sendable, Hashable {
    /// The name of its folder.
    let name: String
    /// When it began, as its record says.
    let begun: String
    let lines: ClosedRange<Int>
    let ended: WallTime
    /// How long its pictures may be kept after its end, in seconds; `nil` for no limit.
    let retention: Int64?

    /// `true` if its pictures must not be kept any more, by a clock that does not believe jumps.
    func isOver(by clock: AgeClock) -> Bool {
        guard let retention, let age = clock.age(of: ended.seconds) else { return false }
        return age >= retention
    }
}
