// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// Brings the library up to date with folders.
struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Index folders with their time lapses, sessions and other pictures.",
        discussion: """
            A folder that was scanned belongs to the library from then on; without a folder, all of them are scanned \
            again. A folder whose disk is away is offline: its pictures stay in the library.
            """)

    @Argument(
        help: ArgumentHelp("The folders; none for all that were scanned before.", valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    @Flag(help: "Accept that many pictures of a folder are gone.")
    var accept = false

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let index = try library.open(completes: true)
        let paths = try index.folders(toScan: folders.map(LibraryFolder.absolute))
        guard !paths.isEmpty else {
            throw CaptureError(
                .usage, "no folder was scanned before", subject: "scan", advice: "name the folder of your pictures")
        }
        var status: Int32 = 0
        for path in paths {
            do throws(CaptureError) {
                status = max(status, try scan(path, index))
            } catch {
                if Task.isCancelled { throw error }
                Console().report(error)
                status = max(status, error.code.exitStatus)
            }
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Returns the exit status.
    private func scan(_ path: String, _ index: LibraryIndex) throws(CaptureError) -> Int32 {
        let progress = ProgressLine("pictures")
        var faults = 0
        let report = { (error: CaptureError) in
            faults += 1
            progress.report(error)
        }
        let scan = try LibraryScan(index, folder: path, accepts: accept, report: report) { progress.show($0) }
        progress.finish(Self.words(scan))
        return faults > 0 ? CaptureError.Code.inputOutput.exitStatus : 0
    }

    private static func words(_ scan: LibraryScan) -> String {
        let changes = "\(scan.changes.putCount) new or changed, \(scan.changes.removedCount) gone"
        return switch scan.root.state {
        case .online, .stale: "\(scan.root.path): \(changes)"
        case .offline: "\(scan.root.path): offline, as it has not the marker of the library; its pictures stay"
        case .shrunk:
            "\(scan.root.path): \(changes); \(scan.vanished) pictures vanished at once, and stay in the library: "
                + "run it again with --accept if they are gone"
        }
    }
}

/// Removes a folder from the library.
struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove folders from the library; their files stay.")

    @Argument(help: ArgumentHelp("The folders.", valueName: "folder"), completion: .directory)
    var folders: [String]

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let index = try library.open()
        for folder in folders { try index.forget(LibraryFolder.absolute(folder)) }
    }
}

/// The pictures that a command changes.
struct ItemArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The IDs of the pictures; - reads them from standard input.", valueName: "id"))
    var ids: [String]

    @OptionGroup var library: LibraryOptions

    /// Changes the notes of the pictures.
    func apply(_ change: NotesChange) throws {
        try apply("changed") { index, identifiers, report, progress throws(CaptureError) in
            try index.change(identifiers, change, report: report, progress: progress)
        }
    }

    /// Changes the pictures with progress, and reports each that cannot be changed.
    ///
    /// - Parameters:
    ///   - word: The change of a picture as a word, for the summary.
    ///   - body: Returns the IDs of the pictures that it changed.
    func apply(
        _ word: String,
        _ body: (LibraryIndex, [ItemID], (CaptureError) -> Void, (Int, Int) -> Void) throws(CaptureError) -> [ItemID]
    ) throws {
        let (index, progress) = (try library.openComplete(), ProgressLine("pictures"))
        var (identifiers, failure) = ([ItemID](), CaptureError?.none)
        let report = { (error: CaptureError) in
            progress.report(error)
            failure = failure ?? error
        }
        for text in texts {
            if let id = ItemID(text) { identifiers.append(id) } else { report(.unknownItem(text)) }
        }
        let count = try body(index, identifiers, report) { progress.show($0, of: $1) }.count
        progress.finish("\(count == 1 ? "1 picture" : "\(count) pictures") \(word)")
        if let failure { throw ExitCode(failure.code.exitStatus) }
    }

    private var texts: [String] {
        guard ids == ["-"] else { return ids }
        var lines: [String] = []
        while let line = readLine() { if !line.isEmpty { lines.append(line) } }
        return lines
    }
}

/// Adds or removes a tag.
struct Tag: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add a tag to pictures, or remove it.")

    @Flag(help: "Remove the tag.")
    var remove = false

    @Argument(help: "The tag.")
    var tag: String

    @OptionGroup var items: ItemArguments

    func run() throws {
        var change = NotesChange()
        if remove { change.removed = [tag] } else { change.added = [tag] }
        try items.apply(change)
    }
}

/// Gives stars.
struct Rate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give pictures 0 to 5 stars.")

    @Argument(help: "The number of stars.")
    var stars: Int

    @OptionGroup var items: ItemArguments

    func run() throws {
        var change = NotesChange()
        change.stars = stars
        try items.apply(change)
    }
}

/// Gives a title.
struct Title: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give pictures a title; an empty one removes it.")

    @Argument(help: "The title.")
    var title: String

    @OptionGroup var items: ItemArguments

    func run() throws {
        var change = NotesChange()
        change.title = title
        try items.apply(change)
    }
}

/// Makes the index again.
struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the index again from ledgers, sessions, files and sidecars.",
        discussion:
            "Pictures and tags are in these files. The hashes of verify and import are not: verify makes them again.")

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let (index, progress) = (try library.open(renames: true, completes: true), ProgressLine("pictures"))
        var faults = 0
        for root in try index.reset() {
            let report = { (error: CaptureError) in
                faults += 1
                progress.report(error)
            }
            _ = try LibraryScan(index, folder: root.path, accepts: true, report: report) { progress.show($0) }
        }
        let count = try index.count(LibraryQuery())
        progress.finish(count == 1 ? "1 picture" : "\(count) pictures")
        if faults > 0 { throw ExitCode(CaptureError.Code.inputOutput.exitStatus) }
    }
}
#endif
