// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// `gst-capture library`.
package struct LibraryProgram: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gst-capture library",
        abstract: "Find, tag and rate the pictures of this machine.",
        discussion: """
            The library is an index of pictures and movies: those of time lapses and sessions, clips of cameras, and all \
            other JPEG, PNG and MP4 files of the folders that were scanned. Tags, stars and titles are stored beside \
            each of them, in NAME.jpg.xmp. The files are never changed.

            Examples:
              gst-capture library scan /srv/pictures
              gst-capture library search 'series:garden after:2026-03-01'
              gst-capture library search kind:clip camera:door
              gst-capture library search --json snow | jq -r .path
              gst-capture library tag 'first snow' garden-pi.garden-1204
              gst-capture library search -q blurred | gst-capture library tag blurred -
              gst-capture library days

            A search has words, "phrases", tag:, series:, camera:, session:, stage:, kind:, stars:3..5, day:, after: and \
            before:. A term after - excludes pictures. After --, a search may begin with -.

            Exit status: 0 done; 64 usage; 66 no such picture or folder; 73 the index cannot be created; 74 input or \
            output failed; 75 another program changes the index; 130 stopped by Ctrl-C: what was done so far stays done.
            """,
        version: "gst-capture \(Version.current)",
        subcommands: [
            Search.self, Show.self, Days.self, Tags.self, Tag.self, Rate.self, Title.self, Delete.self, Restore.self,
            Trash.self, Albums.self, Scan.self, Import.self, Export.self, Verify.self, Rebuild.self, Forget.self,
        ])

    package init() {}

    /// Runs the command of these arguments, and ends the process.
    package static func run(_ arguments: [String]) -> Never {
        Interruption.run("gst-capture.library") {
            var command = try parseAsRoot(arguments)
            try command.run()
        } otherwise: {
            exit(withError: $0)
        }
    }
}

/// Which library a command uses.
struct LibraryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The state folder of the library (default: $STATE_DIRECTORY, or gst-capture in $XDG_STATE_HOME or "
                + "~/.local/state).", valueName: "folder"), completion: .directory)
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The name of this board in IDs (default: that of the library, which begins with the host name).",
            valueName: "name"))
    var board: String?

    /// Opens the index, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - renames: `true` if the library may get another board.
    ///   - completes: `true` if the command scans folders; `false` to name those that are not complete.
    func open(renames: Bool = false, completes: Bool = false) throws(CaptureError) -> LibraryIndex {
        let folder = try LibraryFolder.make(in: state)
        let index = try LibraryIndex(folder: folder, board: try name(), renames: renames)
        for root in try index.roots() where root.state == .stale && !completes {
            Console().warn("\(root.path) is not complete in the library; gst-capture library scan completes it")
        }
        return index
    }

    /// Opens the index for changes of pictures, and scans the folders that are not complete first.
    func openComplete() throws(CaptureError) -> LibraryIndex {
        let (index, progress) = (try open(completes: true), ProgressLine("pictures"))
        try index.completeFolders(report: progress.report) { progress.show($0) }
        progress.clear()
        return index
    }

    private func name() throws(CaptureError) -> BoardName? {
        guard let board else { return nil }
        guard let name = BoardName(board) else {
            throw CaptureError(
                .usage, "\(board.quoted) is not the name of a board", subject: "--board",
                advice: "give 1 to 63 letters, digits and dashes")
        }
        return name
    }
}
#endif
