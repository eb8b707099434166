// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import Dispatch
import Glibc
import RecordKit
import Synchronization
import SystemBase
import TerminalKit
import TransferKit
import UploadKit

extension OutboxProgram {
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send new pictures until Ctrl-C.",
            discussion: """
                It prints a line when a target fails, when it works again, and for each picture that a target refuses. It \
                reads pictures and their ledgers, and changes neither. A transfer that is interrupted continues at the next \
                start, and no picture arrives twice.
                """)

        @Flag(help: "One JSON object a line, for each picture that was sent, too.")
        var json = false

        @Flag(
            help: """
                End when all pictures and records are sent, with status 0, or when that is not possible now, with \
                status 75.
                """)
        var once = false

        /// A service that starts the sender holds the other end of its input.
        @Flag(help: .hidden)
        var untilInputEnds = false

        @OptionGroup var outbox: OutboxOptions

        func run() async throws {
            let input = untilInputEnds ? Self.awaitEndOfInput() : nil
            defer { input?.cancel() }
            let configuration = try outbox.configuration()
            let folder = try outbox.folder()
            try PrivateFolder.make(folder)
            guard let lock = try FileLock(folder + "/lock") else {
                throw CaptureError(
                    .temporary, "another sender uses this folder", subject: folder, advice: "stop it, or give --state")
            }
            let transports = try Self.transports(configuration)
            let printer = EventPrinter(json: json)
            FileWatch.reportRefusals { printer.report(OutboxEvent.trouble($0)) }
            let store = try OutboxStore(folder: folder)
            let sender = OutboxSender(configuration, store, transports) { printer.report($0) }
            let records = try records(configuration, printer)
            if let manager = ServiceManager() { await manager.send([.ready]) }
            let isUpToDate = await withTaskGroup { group in
                if let records { group.addTask { [once] in await records.run(once: once) } }
                await sender.run(endsWhenIdle: once)
                if !once { group.cancelAll() }
                return await group.reduce(true) { $0 && $1 }
            }
            _ = consume lock
            // Without --once a signal is the usual end.
            Glibc.exit(once ? try unsentStatus(configuration, areRecordsSent: isUpToDate) : EXIT_SUCCESS)
        }

        /// Opens the records that are kept the same as those of a backend; `nil` if there are none.
        private func records(
            _ configuration: OutboxConfiguration, _ printer: EventPrinter
        ) throws(CaptureError) -> RecordSynchronization? {
            guard let target = configuration.records else { return nil }
            return try RecordSynchronization(target, of: configuration, state: outbox.state) { printer.report($0) }
        }

        /// Ends this process, as SIGTERM does, when its standard input ends.
        private static func awaitEndOfInput() -> any DispatchSourceRead {
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
            source.setEventHandler { kill(getpid(), SIGTERM) }
            source.activate()
            return source
        }

        /// Returns the status of `--once`, and names the targets that lack pictures, and the backend that lacks records.
        private func unsentStatus(
            _ configuration: OutboxConfiguration, areRecordsSent: Bool
        ) throws(CaptureError) -> Int32 {
            let store = try outbox.store()
            let states = try store.targets()
            var status = Interruption.status ?? EXIT_SUCCESS
            for target in configuration.targets {
                let backlog = try OutboxBacklog(of: target.id, configuration, store)
                let deadCount = states[target.id]?.deadCount ?? 0
                guard backlog.count + deadCount > 0 else { continue }
                let dead = deadCount == 0 ? "" : ", \(deadCount) of them dead"
                Console().warn("\(target.id): \(backlog.count + deadCount) pictures are not sent\(dead)")
                status = Interruption.status ?? CaptureError.Code.temporary.exitStatus
            }
            guard areRecordsSent else {
                Console().warn("records are not sent; gst-capture records sync shows them")
                return Interruption.status ?? CaptureError.Code.temporary.exitStatus
            }
            return status
        }

        private static func transports(
            _ configuration: OutboxConfiguration
        ) throws(CaptureError) -> [String: any Transport] {
            var transports: [String: any Transport] = [:]
            for target in configuration.targets { transports[target.id] = try Transports.make(target.place) }
            return transports
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a file of one byte to a target, confirm it, and erase it.")

        @OptionGroup var options: TargetOptions

        func run() async throws {
            let target = try options.outbox.configuration().target(options.target)
            do throws(TransferFault) {
                let trip = try await Transports.test(target.place)
                let time = Double(trip.duration.nanoseconds) / 1e9
                let text = String(Int((time * 1000).rounded()))
                StandardStream.output.line("\(target.id) works: confirmed by \(trip.confirmation.words), \(text) ms")
            } catch {
                throw CaptureError(
                    error.isOfAccess ? .permission : .noCamera, error.reason, subject: target.id,
                    advice: "check the address and the credentials of the target")
            }
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check the file with targets.")

        @Argument(
            help: ArgumentHelp("The file (default: that of --config).", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"]))
        var file: String?

        @OptionGroup var outbox: OutboxOptions

        func run() throws {
            let configuration = try file.map(OutboxConfiguration.init(path:)) ?? outbox.configuration()
            for target in configuration.targets { _ = try Transports.make(target.place) }
            for kind in configuration.records?.kinds ?? [] { _ = try RecordKindLibrary().file(kind) }
            let (targets, routes) = (configuration.targets.count, configuration.routes.count)
            let words = [targets == 1 ? "target" : "targets", routes == 1 ? "folder" : "folders"]
            let kinds = configuration.records.map { ", \(Wording.count($0.kinds.count, "kind")) of records" } ?? ""
            StandardStream.output.line("\(targets) \(words[0]), \(routes) \(words[1])\(kinds)")
            for target in configuration.targets where target.keepsDeleted {
                Console().report(
                    "\(target.id): cannot erase, so pictures that are deleted here stay there; "
                        + "give erase: yes if the server accepts DELETE, or erase-deleted: no")
            }
        }
    }
}

/// Prints the events of a sender.
private final class EventPrinter: Sendable {
    private let isJSON: Bool
    /// The last line about each target: attempts that fail for the same reason have one.
    private let last = Mutex<[String: String]>([:])
    private let console = Console()

    init(json: Bool) { isJSON = json }

    /// Reports an event of records. A pause between two rounds is no news.
    func report(_ event: RecordSyncEvent) {
        guard !isJSON else {
            StandardStream.output.line(event.json.text)
            return
        }
        guard let line = event.line else { return }
        if let key = event.key {
            guard last.withLock({ $0.updateValue(line.text, forKey: key) }) != line.text else { return }
        }
        let text = line.text.withoutControls
        if line.isWarning { console.warn(text) } else { console.report(text) }
    }

    func report(_ event: OutboxEvent) {
        guard !isJSON else {
            StandardStream.output.line(event.json.text)
            return
        }
        switch event {
        case .sent, .erased: break
        case .dead(let job):
            let fault = job.kind == .send ? "\(job.picture.path) is not sent" : "\(job.name) is not erased"
            console.warn("\(job.lane.target): \(fault): \(job.reason ?? "")")
        case .trouble(let error): console.report(error)
        case .target(let state):
            let words = state.condition == "ready" ? "works" : state.reason ?? state.condition
            let before = last.withLock { $0.updateValue(words, forKey: state.id) }
            guard before != words, before != nil || state.condition != "ready" else { return }
            let line = "\(state.id): \(words)".withoutControls
            if state.condition == "ready" { console.report(line) } else { console.warn(line) }
        }
    }
}

extension OutboxEvent {
    fileprivate var json: JSONValue {
        switch self {
        case .sent(let job, let confirmation):
            .event("sent", ["job": job.json, "confirmed-by": .string(confirmation.rawValue)])
        case .erased(let job): .event("erased", ["job": job.json])
        case .dead(let job): .event("dead", ["job": job.json])
        case .trouble(let error): .event("error", ["error": error.json])
        case .target(let state):
            .event(
                "target",
                [
                    "target": .string(state.id), "state": .string(state.condition),
                    "reason": state.reason.map(JSONValue.string),
                ])
        }
    }
}

extension Confirmation {
    fileprivate var words: String {
        switch self {
        case .answer: "its answer"
        case .size: "the size"
        case .readBack: "reading it back"
        case .hash: "its hash"
        }
    }
}

extension TransferFault {
    fileprivate var isOfAccess: Bool { if case .access = self { true } else { false } }
}
#endif
