// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import Logging
import RecordKit
import ServiceKit
import ServiceLifecycle
import SessionKit

/// Creates a record of each accepted run of the sessions with the key `record`.
///
/// The ID of the record follows from the run, so that no run makes two. Runs of the last day are looked at again at the
/// start, as the service may have been killed after one was accepted.
struct RecordFeed: Service {
    private let desk: RecordDesk
    private let service: CaptureService
    private let logger: Logger

    /// Runs that ended longer ago are not looked at again, in seconds. It is less than a deleted record stays in the trash.
    private static let recently: Int64 = 86400

    init(_ desk: RecordDesk, _ service: CaptureService, _ logger: Logger) {
        (self.desk, self.service, self.logger) = (desk, service, logger)
    }

    func run() async throws { await cancelWhenGracefulShutdown { await follow() } }

    private func follow() async {
        // First the events: a run that ends meanwhile is only looked at twice.
        let events = service.listen(buffering: 1000)
        await catchUp()
        for await event in events where event.event.kind == "finished" {
            guard let folder = event.event.runFolder, let id = event.event.session else { continue }
            guard let session = await service.allSessions.first(where: { $0.id == id }) else { continue }
            await add(folder, of: session)
        }
    }

    private func catchUp() async {
        for session in await service.allSessions where session.record != nil {
            let folders = await BlockingWork.run { Self.recentRuns(in: session.output) }
            for folder in folders where !Task.isCancelled { await add(folder, of: session) }
        }
    }

    /// Returns the folders of the runs whose records have changed recently. Blocks.
    private static func recentRuns(in folder: String) -> [String] {
        let clock = AgeClock.current()
        return DeviceFiles.names(in: folder).filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }.filter { path in
            var status = stat()
            guard stat(path + "/" + SessionRecord.fileName, &status) == 0 else { return false }
            return (clock.age(of: Int64(status.st_mtim.tv_sec)) ?? .max) < recently
        }.sorted()
    }

    /// Creates the record of a run, unless there is one.
    private func add(_ folder: String, of session: ServiceSession) async {
        guard let id = session.record, let kind = desk.kinds.first(where: { $0.id == id }) else { return }
        let name = DeviceFiles.name(of: folder)
        do {
            let run = try await BlockingWork.run { () throws(CaptureError) in try SessionArchive.entry(at: folder) }
            let progress = run.record.progress
            guard progress.ending == .accepted, progress.session == session.file.session.name else { return }
            let record = RecordID(of: run)
            guard try await desk.perform({ try $0.record(record) }) == nil else { return }
            let content = try await desk.content(of: kind, from: run, session)
            _ = try await desk.change(from: nil) { try $0.create(kind.id, content, id: record, actor: session.id) }
            logger.notice("records: run \(name) is a record of the kind \(id)")
        } catch RecordRefusal.faults(let faults) {
            // Problems can have values, and values can be personal.
            let parts = faults.map { $0.part?.description ?? "the record" }.joined(separator: ", ")
            logger.warning("records: run \(name) makes no record of the kind \(id), as these are not valid: \(parts)")
        } catch RecordRefusal.changed {
            // Another call has created it.
        } catch {
            logger.error("records: run \(name) makes no record: \(error)")
        }
    }
}

extension RecordID {
    /// The ID of the record of a run: always the same for a run.
    fileprivate init(of run: SessionArchive.Entry) {
        let text = "record of the run \(run.id) begun \(run.record.begun)"
        var digits = Array(SHA256.digits(of: Array(text.utf8)).prefix(32))
        // The version and the variant of a UUID (RFC 9562).
        (digits[12], digits[16]) = ("4", "a")
        var id = ""
        for (index, digit) in digits.enumerated() {
            id += ([8, 12, 16, 20].contains(index) ? "-" : "") + String(digit)
        }
        self = RecordID(id) ?? .random()
    }
}
#endif
