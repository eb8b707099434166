// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CLinux
import CaptureBase
import ConnectionKit
import FrameLink
import Glibc
import LibraryFeed
import Logging
import OverlayCompositor
import PipelineKit
import ServiceKit
import UnixSignals
import UploadKit

/// The program that `gst-capture serve` starts. Its options are those of that command.
package struct Serve: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gst-capture serve", abstract: "Serve cameras over HTTP; see gst-capture help serve.",
        version: "gst-capture \(Version.current)", subcommands: [ServeRun.self, ServeToken.self, ServePair.self],
        defaultSubcommand: ServeRun.self)

    package init() {}
}

extension Serve {
    /// Runs a subcommand. Reports its error, and ends with its status.
    static func reporting(_ body: () async throws(CaptureError) -> Void) async throws {
        do throws(CaptureError) {
            try await body()
        } catch {
            StandardError.line("error: " + error.description.replacing("\n", with: "\nerror: "))
            throw ExitCode(error.code.exitStatus)
        }
    }
}

/// Runs the service.
struct ServeRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run the service.")

    /// The format of the log.
    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument var config: String?
    @Flag var check = false
    @Option var listen: [String] = []
    @Option var log = LogFormat.text
    @Option var state: String?
    @Flag var insecure = false

    func run() async throws { try await Serve.reporting { () async throws(CaptureError) in try await serve() } }

    private func serve() async throws(CaptureError) {
        signal(SIGPIPE, SIG_IGN)
        try ProgramArguments.check(variables: "GST_CAPTURE_")
        let mostConnections = DescriptorLimit.connections(with: DescriptorLimit.raise())
        // Each camera and session brings threads. With the standard of 8 arenas a processor, a service that runs
        // sessions one after the other needs twice the memory.
        cmalloc_limit_arenas(2)
        ProcessEnvironment.prepare()
        let sockets = check ? [] : try ActivatedSocket.take()
        // From here on, a request to reload waits for the service. The environment is complete: this brings a thread.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let folder = state ?? ProgramFolders.state
        var configuration = try await Self.read(config, listen, storing: check ? nil : folder)
        if check {
            if let outbox = configuration.outbox {
                try await BlockingWork.run { [configuration] () throws(CaptureError) in
                    try OutboxConfiguration(path: outbox).check(configuration.sessions)
                }
            }
            print(configuration.summary)
            return
        }
        let format = log
        LoggingSystem.bootstrap { label -> any Logging.LogHandler in
            if format == .json { JSONLogHandler() } else { StreamLogHandler.standardError(label: label) }
        }
        try await BlockingWork.run { () throws(CaptureError) in
            do throws(PipelineError) {
                try GStreamer.initialize()
            } catch {
                throw CaptureError(.software, error.message, subject: error.element, advice: error.advice)
            }
        }
        let (path, addresses) = (config, listen)
        if sockets.isEmpty, let socket = await localSocket(besides: configuration) {
            configuration.addresses.append(socket)
        }
        let safety = try await ServeSafety.open(
            configuration, sockets: sockets.map(\.address), state: state, isInsecure: insecure)
        let analytics = try Self.queue(configuration, in: safety.stateFolder)
        let library = await Self.library(in: safety.stateFolder, configuration.board)
        let outbox = try await Self.outbox(configuration, in: safety.stateFolder)
        let recordFolder = try configuration.records?.folder(in: safety.stateFolder)
        let look = configuration.page
        let page = try await BlockingWork.run { () throws(CaptureError) in try PageFiles.installed(look) }
        try await ServeProgram(
            configuration, safety, sockets: sockets, hangups: hangups, analytics: analytics, library: library,
            outbox: outbox, recordFolder: recordFolder, page: page, mostConnections: mostConnections
        ) { () async throws(CaptureError) in
            try await Self.read(path, addresses, storing: folder)
        }.run()
    }

    /// Reads the configuration on a thread that may block.
    ///
    /// - Parameter folder: The folder in which a service without a file stores pictures; `nil` for none.
    static func read(
        _ path: String?, _ addresses: [String], storing folder: String? = nil
    ) async throws(CaptureError) -> ServiceConfiguration {
        var configuration: ServiceConfiguration
        if let path {
            configuration = try await BlockingWork.run { () throws(CaptureError) in
                let configuration = try ServiceConfiguration(path: path)
                try ServiceOutbox.check(configuration)
                return configuration
            }
        } else {
            let camera = await ServiceConfiguration.firstCamera()
            let standard = ServiceConfiguration.standard(camera: camera.id, title: camera.name.withoutControls)
            // If the folder cannot be written, clients get the pictures alone.
            configuration = await BlockingWork.run {
                folder.flatMap { try? standard.storing(in: $0) } ?? standard
            }
        }
        let own = try addresses.map { text throws(CaptureError) in try ListenAddress(parsing: text) }
        if !own.isEmpty { configuration.addresses = own }
        return configuration
    }

    /// Returns the queue of product events, which its sender opens; `nil` if the configuration has no receiver for them.
    private static func queue(
        _ configuration: ServiceConfiguration, in folder: String?
    ) throws(CaptureError) -> AnalyticsQueue? {
        guard let settings = configuration.analytics else { return nil }
        guard let folder else {
            throw CaptureError(
                .configuration, "there is no folder for the queue", subject: "analytics",
                advice: "give one with --state")
        }
        return AnalyticsQueue(path: folder + "/analytics.db", keepFor: settings.keepFor)
    }

    /// Opens the outbox that the configuration names; `nil` if it names none.
    private static func outbox(
        _ configuration: ServiceConfiguration, in folder: String?
    ) async throws(CaptureError) -> ServiceOutbox? {
        guard let path = configuration.outbox else { return nil }
        guard let folder else {
            throw CaptureError(
                .configuration, "there is no folder for its state", subject: "outbox", advice: "give one with --state")
        }
        return try await BlockingWork.run { () throws(CaptureError) in
            try OutboxConfiguration(path: path).check(configuration.sessions)
            return try ServiceOutbox(path: path, state: folder)
        }
    }

    /// Opens the library; `nil` without a state folder, or if the library cannot be opened: cameras do not wait for it.
    private static func library(in folder: String?, _ board: BoardName?) async -> ServiceLibrary? {
        guard let folder else { return nil }
        do throws(CaptureError) {
            return try await ServiceLibrary.open(in: folder, board: board)
        } catch {
            Logger(label: "gst-capture").error("library: \(error)")
            return nil
        }
    }

    /// Returns the socket at which commands of this machine find the service; `nil` if the user chose the addresses or
    /// has no folder for it, or another service has the socket.
    private func localSocket(besides configuration: ServiceConfiguration) async -> ListenAddress? {
        guard listen.isEmpty, !configuration.addresses.contains(where: \.isSocket),
            let path = LocalService.userSocket
        else { return nil }
        do throws(CaptureError) {
            try await BlockingWork.run { () throws(CaptureError) in
                try PrivateFolder.make(StillFolder.path(of: path))
                _ = try SocketClaim(path, option: "--listen")
            }
            return .unix(path: path)
        } catch {
            Logger(label: "gst-capture").notice("snap and timelapse do not use this service: \(error)")
            return nil
        }
    }
}
#endif
