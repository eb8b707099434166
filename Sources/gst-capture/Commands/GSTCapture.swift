// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import Glibc
import PipelineKit
import RecordCommands
import TerminalKit

/// The root command: it prints an overview; its subcommands do the work.
@main
struct GSTCapture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gst-capture",
        abstract: "Take pictures with cameras: one, many, or for months, on time and safely on disk.",
        discussion: """
            Each option of a capture is also a key of presets and a variable of the environment: --width, width:, \
            GST_CAPTURE_WIDTH (--set is controls:). An option overrides a variable, and a variable the preset. \
            gst-capture --generate-completion-script bash prints completions, also for zsh and fish.

            Exit status: 0 done; 64 usage; 65 a record is not valid; 66 no such input; 69 no camera, or no display; 70 a bug in gst-capture; 71 \
            restart needed, as a driver hangs or descriptors run out; 73 output cannot be created; 74 input or output \
            failed; 75 busy, or no picture this time; 77 no permission; 78 a preset, a variable or the machine's set-up \
            is wrong; 130 or 143 stopped by SIGINT or SIGTERM before there was a picture.
            """,
        version: "gst-capture \(Version.current)",
        subcommands: [
            SnapCommand.self, TimelapseCommand.self, RecordCommand.self, FilmCommand.self, SheetCommand.self,
            PreviewCommand.self, SessionCommand.self, CropCommand.self,
            LedgerCommand.self, LibraryCommand.self, RecordsCommand.self, OutboxCommand.self, ServeCommand.self,
            CamerasCommand.self, ControlsCommand.self, PresetsCommand.self, OutlinesCommand.self, DoctorCommand.self,
        ]
    )

    @Flag(help: "List the cameras, as the subcommand cameras does; with --json for programs.")
    var listCameras = false

    func run() {
        StandardStream.output.line(Self.firstSteps)
    }

    /// The overview, for new users. `HelpTests` limits its lines.
    static let firstSteps = """
        gst-capture \(Version.current): pictures from cameras, on time and safely on disk

          gst-capture doctor                        problems on this machine, with remedies
          gst-capture cameras                       the cameras, and their formats
          gst-capture snap                          one picture; its name is printed
          gst-capture snap --camera scene -o a.jpg  one of the built-in scene, without any camera
          gst-capture timelapse --interval 10s --for 2h -o '%Y-%m-%d/%05n.jpg'
          gst-capture record --for 30s -o clip.mp4  video, with sound by --audio auto
          gst-capture ledger                        the outcome and file of each slot of a timelapse
          gst-capture film . -o film.mp4            a film of the pictures in a folder, or of a timelapse
          gst-capture library scan .                the pictures of a folder, to search, tag and import
          gst-capture preview --overlay face        a window to line up in; space takes a picture
          gst-capture session run avatar            a guided series of pictures, with outlines and a countdown
          gst-capture crop a.jpg --outline card     a picture cropped to an outline
          gst-capture outlines                      silhouettes to line up with, to look at, copy and edit
          gst-capture controls                      brightness, exposure and so on; gst-capture presets: by name
          gst-capture help snap                     all about a subcommand, with examples
        """

    // All asynchronous work runs in a task, on Swift's own threads. An asynchronous main function would end in
    // dispatch_main, which unblocks signals that are held.
    static func main() {
        ProcessArguments.hideSecrets()
        ProcessEnvironment.prepare()
        // A program inherits an ignored SIGCHLD. The kernel then reaps its children itself, and drops their status.
        signal(SIGCHLD, SIG_DFL)
        StandardStream.holdPlaces()
        let arguments = canonical(Array(CommandLine.arguments.dropFirst()))
        let isCapture = isCapture(arguments)
        // A capture loses no signal, from its start on.
        if isCapture { SignalListener.hold() }
        let needsGStreamer = isCapture && needsGStreamer(arguments)
        let check =
            needsGStreamer ? PluginRegistry.standard?.shortenStart(isPlain: PluginSelection.suits(arguments)) : nil
        let command = Task.detached { await execute(arguments) }
        if isCapture { SignalListener.deliver(orCancel: command) }
        GStreamerStart.run(isNeeded: needsGStreamer, check)
        if arguments.first == "timelapse", PluginSelection.isUsed { PluginSelection.load() }
        while true { pause() }
    }

    private static func execute(_ arguments: [String]) async -> Never {
        do {
            try ProgramArguments.check(variables: "GST_CAPTURE_")
            var command = try parseAlone(arguments) ?? parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            SignalListener.status?.leave()
            leave(with: error)
        }
        (SignalListener.status ?? .success).leave()
    }

    // A capture is parsed by its subcommand alone: to set up all of them takes longer than GStreamer takes to start.
    // The root command handles help and mistakes, because it knows the name of the program. The command that records
    // plugins is not one of its subcommands, so that no help, manual or completion lists it.
    private static func parseAlone(_ arguments: [String]) -> (any ParsableCommand)? {
        let isOwn = arguments.first == RecordPluginsCommand.name
        let command: (any ParsableCommand.Type)? = isOwn ? RecordPluginsCommand.self : capture(named: arguments.first)
        return try? command?.parse(Array(arguments.dropFirst()))
    }

    /// Returns the subcommand of this name if it captures; otherwise `nil`. `session run` and `session resume` capture,
    /// too, but are parsed with the root command.
    private static func capture(named name: String?) -> (any ParsableCommand.Type)? {
        switch name {
        case "snap": SnapCommand.self
        case "timelapse": TimelapseCommand.self
        case "preview": PreviewCommand.self
        case "record": RecordCommand.self
        case "film": FilmCommand.self
        case "sheet": SheetCommand.self
        default: nil
        }
    }

    // The flag stands for the subcommand, at any position.
    private static func canonical(_ arguments: [String]) -> [String] {
        guard arguments.contains("--list-cameras") else { return arguments }
        return ["cameras"] + arguments.filter { $0 == "--json" }
    }

    private static func isCapture(_ arguments: [String]) -> Bool {
        let isSession = arguments.first == "session" && ["run", "resume"].contains(arguments.dropFirst().first)
        return isSession || capture(named: arguments.first) != nil
    }

    private static func needsGStreamer(_ arguments: [String]) -> Bool {
        !arguments.contains { ["-h", "--help", "-help", "--dry-run", "--check"].contains($0) }
    }

    private static func leave(with error: any Error) -> Never {
        switch error {
        case let status as ExitStatus: status.leave()
        case let error as CaptureError:
            Console().report(error)
            ExitStatus(error).leave()
        case let error as PipelineError:
            Console().report(CaptureError(.software, error.message, subject: error.element, advice: error.advice))
            ExitStatus(code: CaptureError.Code.software.exitStatus).leave()
        default: leave(withParserError: error)
        }
    }

    // Errors of the parser: help and version are errors of status 0, and go to standard output.
    private static func leave(withParserError error: any Error) -> Never {
        let status = ExitStatus(code: exitCode(for: error).rawValue)
        let text = fullMessage(for: error)
        if !text.isEmpty { (status == .success ? StandardStream.output : .error).line(text) }
        status.leave()
    }
}
