// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor
import PresetKit
import SessionKit
import TerminalKit

/// Guides the user through a series of pictures.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Guide a user through a series of pictures: outlines, countdown, review.",
        discussion: """
            A session is a YAML file with stages, each with a prompt, an outline, a countdown, gates and a crop. \
            gst-capture searches the folder sessions beside the presets; a path, or a name that ends in .yaml, is that \
            file.

            Examples:
              gst-capture session
              gst-capture session run avatar
              gst-capture session run loyalty-card --front 0 --back 2 -o ~/cards
              gst-capture session run avatar --camera scene --auto --json
              gst-capture session run id-card --library front.jpg --library back.jpg --auto
              gst-capture session resume avatar-20261121-101500
              gst-capture session show avatar > mine.yaml
              gst-capture session check mine.yaml
            """,
        subcommands: [List.self, Run.self, Resume.self, Show.self, Check.self, Overview.self],
        defaultSubcommand: Overview.self
    )
}

extension SessionCommand {
    /// Runs a session.
    struct Run: SessionRunCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run a session.",
            discussion: """
                A session has its own folder with its pictures and session.json, which lists for each picture the \
                stage, file, hash, moment, offset, scores of the gates, camera and crop. When the session is accepted, \
                the folder's path is printed. session resume continues a run that was killed or left with Ctrl-C.

                Keys, in the window and in the terminal:
                  space    continue: begin, next page, count down; so do Enter, SIGUSR1, a click or touch
                  s        skip the tutorial, or the stage if that is allowed
                  x        abort the run; abort: in the session's file says what follows
                  c        the camera on the other side
                  b        bring in the next picture of --library instead of taking one
                  m        mirror
                  1 to 9   in the review: look closer at one picture; once more for all
                  n, p     in the review: the next or previous picture; so do arrows, Page Up and Page Down turn pages
                  r        retake the picture that is shown
                  t        retake all pictures of its stage
                  a        in the review: accept; so do two touches
                  d d      in the review: discard
                  q q      cancel: its pictures are deleted; without pictures one q does
                  h, ?     show or hide the keys, on the preview and in the terminal

                Hooks run when a countdown begins, a picture is durable, and the camera is lost or back; gst-capture \
                help timelapse lists their variables.

                Exit status: 0 accepted; 75 cancelled, or left by its window; 130 or 143 left by SIGINT or SIGTERM; \
                otherwise that of the error (gst-capture help).

                With --json each line is an object with "event", "at" and "seq": opening, camera, previewing, phase, \
                stage, countdown, recording, recorder (role, recording, microphone), gate, captured (picture, folder), \
                removed, set-aside, failed, filled, refused, confirmation, stage-done, skipped, aborted (reason, gate, message), lost, recovered, review, \
                notice (code, subject, message), error, key, press, preview-ended (error) and finished (ending, folder, \
                pictures, skipped). \
                With --control stdin, lines such as {"do": "capture"} are requests, each answered by ok or error: \
                capture, skip, abort, cancel, switch-camera, bring, fill, retake, accept, discard, leave. The event state \
                answers the request state. The events captured, stage-done, skipped and review are emitted when they \
                are durable, and can come after the phase that follows.
                """
        )

        @Argument(help: "The session's name, or its file.", completion: .sessions)
        var name: String

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The folder that the session's folder is made in.", valueName: "folder"),
            completion: .directory)
        var output = "."

        func validate() throws {
            // With an unset variable in a script, pictures would go to the root folder. A folder cannot be a stream.
            guard !output.isEmpty, output != "-" else {
                throw ValidationError("--output \"\(output)\" is not a folder; give . for this one")
            }
            try checkGroups()
        }

        @OptionGroup var session: SessionOptions
        @OptionGroup var control: ControlOptions
        @OptionGroup(title: "Library") var library: LibraryOptions
        @OptionGroup(title: "Library") var adjustment: AdjustmentOptions
        @OptionGroup(title: "Camera") var camera: CameraOptions
        @OptionGroup(title: "Preview") var preview: PreviewOptions
        @OptionGroup(title: "Overlay") var overlay: OverlayOptions
        @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
        @OptionGroup(title: "Hooks") var hooks: HookOptions
        @OptionGroup(title: "Report") var reporting: ReportingOptions

        func run() async throws {
            let file = try SessionLibrary().file(name)
            try await SessionStart(command: self, output: .folder(in: output)).run(file)
        }
    }

    /// Resumes a session.
    struct Resume: SessionRunCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resume a session that was left or killed, or discard it.",
            discussion: """
                The session keeps its pictures, and takes those that are missing, also those gone from the folder. \
                Give the same camera and encoding as before. Without a folder, resume selects the session in the \
                working folder that began last and that no other process runs; running and damaged ones are named. The \
                exit status is 75 if all are running.
                """
        )

        @Argument(help: "The session's folder.", completion: .directory)
        var folder: String?

        @Flag(help: "Do not resume: remove its pictures and its folder.")
        var discard = false

        @OptionGroup var session: SessionOptions
        @OptionGroup var control: ControlOptions
        @OptionGroup(title: "Library") var library: LibraryOptions
        @OptionGroup(title: "Library") var adjustment: AdjustmentOptions
        @OptionGroup(title: "Camera") var camera: CameraOptions
        @OptionGroup(title: "Preview") var preview: PreviewOptions
        @OptionGroup(title: "Overlay") var overlay: OverlayOptions
        @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
        @OptionGroup(title: "Hooks") var hooks: HookOptions
        @OptionGroup(title: "Report") var reporting: ReportingOptions

        func validate() throws { try checkGroups() }

        func run() async throws {
            let found = try find()
            if discard {
                try await found.discard()
                return Console().report("discarded \(found.path)")
            }
            let output = SessionConfiguration.Output.resumed(folder: found.path)
            try await SessionStart(command: self, output: output).run(try found.definition())
        }

        /// Returns the session to resume: the named one, or the last one that no process runs.
        private func find() throws(CaptureError) -> SessionArchive.Entry {
            guard let folder else {
                return try SessionArchive.latestOpen(in: ".", report: reportSkipped) { entry in
                    report(Notice(.information, about: entry.path, "\(entry.path) is running; skipping it"))
                }
            }
            let entry = try SessionArchive.entry(at: folder)
            try entry.checkIdle()
            return entry
        }

        private func reportSkipped(_ error: CaptureError) {
            let consequence = "skipping a session that cannot be read"
            report(Notice(.information, about: error.subject, consequence, because: error))
        }

        private func report(_ notice: Notice) {
            if reporting.json { return JSONEventPrinter(stream: .output).report(.notice(notice)) }
            if !reporting.quiet { Console().report(notice.description) }
        }
    }

    /// Lists the sessions that are found.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "List sessions, and unfinished ones in a folder (the default, for the working folder)."
        )

        @Argument(help: "The folder to search for unfinished sessions.", completion: .directory)
        var folder = "."

        @Flag(
            help: "One JSON object a line: name, title, purpose, pictures, path, error; folder, state for those begun.")
        var json = false

        func run() throws {
            try SessionArchive.checkFolder(folder)
            Self.list(folder, asJSON: json)
        }

        /// Prints the sessions that are found, and those that were begun in a folder.
        static func list(_ folder: String, asJSON json: Bool) {
            let listings = SessionLibrary().entries.map { SessionListing($0) }
            let begun = SessionArchive.entries(in: folder) { Console().report($0) }.map { SessionFolderListing($0) }
            if listings.isEmpty, !json { Console().report("no sessions are found; see gst-capture help session") }
            for listing in listings {
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
            for listing in begun where json || listing.isOpen {
                StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output)))
            }
        }
    }

    /// Lists the sessions if no subcommand is given.
    ///
    /// It is a separate command because it takes no folder: otherwise a session's name without `run` would be listed as
    /// an empty folder.
    struct Overview: ParsableCommand {
        static let configuration = CommandConfiguration(shouldDisplay: false)

        @Argument(help: .private)
        var names: [String] = []

        @Flag(help: .hidden)
        var json = false

        func validate() throws {
            guard let name = names.first else { return }
            let known = SessionLibrary().entries.contains { $0.name == name } || name.hasSuffix(".yaml")
            let remedy = known ? "gst-capture session run \(name)" : "gst-capture session list \(name)"
            throw ValidationError("\"\(name)\" is not a command of session; did you mean \(remedy)?")
        }

        func run() { List.list(".", asJSON: json) }
    }

    /// Prints a session's file, or the contents of a session's folder.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a session's file, to copy and edit, or the contents of a session's folder.")

        @Argument(help: "Its name, its file, or its folder.", completion: .sessions)
        var name: String

        @Flag(help: "Print the session.json of a folder.")
        var json = false

        func run() throws {
            StandardStream.output.write(try text())
        }

        private func text() throws(CaptureError) -> String {
            guard LibraryPicture.isAlbum(name) else { return try SessionLibrary().file(name).text }
            let entry = try SessionArchive.entry(at: name)
            return json ? entry.record.json : SessionFolderListing(entry).table(for: Terminal(.output))
        }
    }

    /// Checks session files.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check sessions, and print mistakes with line and column.")

        @Argument(help: "Names, or files.", completion: .file(extensions: ["yaml", "yml"]))
        var files: [String]

        func run() async throws { try await FileCheck(errors: errors).run(files) }

        private func errors(in file: String) async throws(CaptureError) -> [CaptureError] {
            let path = try SessionLibrary().path(file)
            let errors = SessionFile.errors(inFile: path)
            guard errors.isEmpty, let rasterizer = try? RasterProcess.installed() else { return errors }
            try await SessionShapes(SessionFile(path: path).session, in: OutlineLibrary())
                .check(by: OverlayPlanner(rasterizer))
            return []
        }
    }
}
