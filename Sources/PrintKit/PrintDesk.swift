// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ServiceKit
import SessionKit

/// Prints pictures of sessions, at most the allowed number of copies for each run.
package actor PrintDesk {
    /// The copies of each run so far, by its ID. The end of the service forgets them.
    private var printed: [String: Int] = [:]
    /// The requests for the states of printers, by their names.
    private var asking: [String: Task<Result<Printer.State, CaptureError>, Never>] = [:]
    private let ask: @Sendable (String) throws(CaptureError) -> Printer.State

    /// - Parameter ask: Returns the state of a printer by its name. Blocks.
    package init(
        ask: @escaping @Sendable (String) throws(CaptureError) -> Printer.State = { name throws(CaptureError) in
            try Printer(name: name).state()
        }
    ) {
        self.ask = ask
    }

    /// Returns the state of a printer. Clients that ask at the same time share one request to the scheduler: one that
    /// hangs must not take a thread for each of them.
    ///
    /// - Throws: The errors of ``Printer/state()``.
    package func state(of printer: ServicePrinter) async throws(CaptureError) -> Printer.State {
        let (name, ask) = (printer.name, ask)
        let task =
            asking[name]
            ?? Task {
                await BlockingWork.run { () -> Result<Printer.State, CaptureError> in
                    do throws(CaptureError) { return .success(try ask(name)) } catch { return .failure(error) }
                }
            }
        asking[name] = task
        let result = await task.value
        if asking[name] == task { asking[name] = nil }
        return try result.get()
    }

    /// The number of copies that a run may still have.
    package func left(of run: String, _ printer: ServicePrinter) -> Int {
        max(0, printer.mostCopies - printed[run, default: 0])
    }

    /// Prints pictures of a run.
    ///
    /// - Parameter number: The number of the picture; `nil` for the first result of the session, or else for all
    ///   pictures.
    /// - Returns: The number of the job.
    /// - Throws: `CaptureError` `.limit` if the run has no copies left, and the errors of ``Printer``.
    package func print(
        _ number: Int?, copies: Int, of run: String, in session: ServiceSession, on printer: ServicePrinter
    ) async throws(CaptureError) -> Int {
        let files = try await BlockingWork.run { () throws(CaptureError) in
            try Self.files(number, of: SessionRuns.run(run, of: session))
        }
        guard copies <= left(of: run, printer) else {
            throw CaptureError(
                .limit, "only \(printer.mostCopies) copies may be printed", subject: "session \(session.id.quoted)",
                advice: "begin another session")
        }
        // Two requests at the same time must not both get the last copy.
        printed[run, default: 0] += copies
        do throws(CaptureError) {
            return try await BlockingWork.run { () throws(CaptureError) in
                try Printer(name: printer.name).print(files, title: session.file.session.title, copies: copies)
            }
        } catch {
            printed[run, default: 0] -= copies
            throw error
        }
    }

    /// Returns the paths of the pictures to print. Blocks.
    private static func files(_ number: Int?, of run: SessionArchive.Entry) throws(CaptureError) -> [String] {
        var files: [SessionRuns.File] = []
        // A photo strip has all pictures on one page.
        let result = run.record.results.first.flatMap { file in
            SessionResult.allCases.first { $0.fileName == file.name }
        }
        if number == nil, let result {
            files = [try SessionRuns.result(result.rawValue, of: run)]
        } else {
            if let number, run.record.stills[number]?.isClip == true {
                throw CaptureError(.usage, "is a clip, which cannot be printed", subject: "picture \(number)")
            }
            for number in number.map({ [$0] }) ?? run.record.pictures.filter({ !$0.isClip }).map(\.number) {
                files.append(try SessionRuns.picture(number, of: run))
            }
            guard !files.isEmpty else {
                throw CaptureError(.usage, "has no pictures to print", subject: "run \(run.id)")
            }
        }
        // The printer gets no file to which a link leads.
        for file in files {
            do throws(RegularFile.Failure) {
                _ = try file.open()
            } catch {
                throw CaptureError(.noInput, "the file of the picture cannot be read", subject: file.name)
            }
        }
        return files.map(\.path)
    }
}
#endif
