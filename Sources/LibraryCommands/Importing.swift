// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// Copies pictures of folders or cards into the library.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy pictures of a folder or a memory card into the library.",
        discussion: """
            The source is only read. Pictures that the library has already, by their content, are not copied. Each copy \
            is read again from the disk before it counts as imported, so that an import that was interrupted can be \
            repeated. HEIC, RAW and movies other than MP4 stay where they are; the report counts them.

            Examples:
              gst-capture library import --card
              gst-capture library import ~/phone --to /srv/pictures/imports
            """)

    @Argument(help: ArgumentHelp("The folders.", valueName: "folder"), completion: .directory)
    var folders: [String] = []

    @Flag(help: "Import the memory cards that are mounted: file systems with a folder DCIM.")
    var card = false

    @Option(
        help: ArgumentHelp(
            "The folder for the copies, which get folders of their days (default: pictures/imports in the state folder).",
            valueName: "folder"), completion: .directory)
    var to: String?

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @OptionGroup var library: LibraryOptions

    func validate() throws {
        if folders.isEmpty, !card { throw ValidationError("name a folder, or give --card") }
    }

    func run() throws {
        let index = try library.openComplete()
        let target = try to.map(LibraryFolder.absolute) ?? LibraryFolder.imports(in: library.state)
        var status: Int32 = 0
        for source in try sources() {
            let report = try run(source, target, index)
            if report.isCut || !report.faults.isEmpty { status = CaptureError.Code.inputOutput.exitStatus }
            if let status = Interruption.status { throw ExitCode(status) }
        }
        // Copies belong to the library from now on.
        _ = try LibraryScan(index, folder: target, report: Console().report)
        if status != 0 { throw ExitCode(status) }
    }

    private func sources() throws(CaptureError) -> [String] {
        let cards = card ? MemoryCards.mounted() : []
        guard !card || !cards.isEmpty else {
            throw CaptureError(
                .noInput, "no card with a folder DCIM is mounted", subject: "--card",
                advice: "mount it, or name its folder")
        }
        return folders.map(LibraryFolder.absolute) + cards
    }

    private func run(_ source: String, _ target: String, _ index: LibraryIndex) throws(CaptureError) -> ImportReport {
        let progress = ProgressLine("pictures")
        let report = try PictureImport(index, to: target) { done, all in progress.show(done, of: all) }.run(source)
        for fault in report.faults { progress.report(fault) }
        if report.isCut {
            progress.report(
                CaptureError(
                    .inputOutput, "is gone", subject: source,
                    advice: "connect it, and import it again; that copies the pictures that are missing"))
        }
        let end = Task.isCancelled ? "; import it again for the rest" : ""
        progress.finish("\(source): \(report.words)\(end)")
        if json { StandardStream.output.line(report.json(source).text) }
        return report
    }
}

/// Copies pictures of the library into a folder, or into a ZIP file.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy pictures with their tags into a folder or a ZIP file.",
        discussion: """
            Examples:
              gst-capture library export /media/stick 'tag:holiday stars:3..5'
              gst-capture library export best.zip stars:5
              gst-capture library export ~/all
            """)

    @Argument(
        help: ArgumentHelp("The folder for the copies, or a new file whose name ends in .zip.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Argument(help: "The words and terms that pictures have; none for all pictures.")
    var terms: [String] = []

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let (index, progress) = (try library.open(), ProgressLine("pictures"))
        let query = try LibraryQuery(words: terms)
        let report = try copy(query, index) { done, all in progress.show(done, of: all) }
        for fault in report.faults { progress.report(fault) }
        let known = report.knownCount > 0 ? ", \(report.knownCount) were there" : ""
        let faults = report.faults.isEmpty ? "" : ", \(report.faults.count) failed"
        progress.finish("\(report.copiedCount) copied (\(ByteSize.text(report.byteCount)))\(known)\(faults)")
        if !report.faults.isEmpty { throw ExitCode(CaptureError.Code.inputOutput.exitStatus) }
    }

    private func copy(
        _ query: LibraryQuery, _ index: LibraryIndex, _ progress: @escaping (Int, Int) -> Void
    ) throws(CaptureError) -> PictureExport.Report {
        let path = LibraryFolder.absolute(folder)
        // A folder can have such a name, too.
        guard path.lowercased().hasSuffix(".zip"), !folder.hasSuffix("/"), FileSystemIdentity(path) == nil else {
            return try PictureExport(index, to: path, progress: progress).run(query)
        }
        return try PictureArchive(index, to: path, progress: progress).run(query)
    }
}

/// Reads pictures, and reports damage.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read pictures, and report those that are missing or have changed.",
        discussion: """
            It reads at idle priority. A picture without a hash, such as one that was only scanned, gets it now. The exit \
            status is 74 if a picture fails.
            """)

    @Argument(help: "The words and terms that pictures have; none for all pictures.")
    var terms: [String] = []

    @OptionGroup var library: LibraryOptions

    func run() throws {
        IdlePriority.enter()
        let (index, progress) = (try library.open(), ProgressLine("pictures"))
        let result = try LibraryVerification(index, try LibraryQuery(words: terms)) { done, all in
            progress.show(done, of: all)
        }
        for fault in result.faults { progress.report(fault) }
        let new = result.hashedCount > 0 ? ", \(result.hashedCount) hashed for the first time" : ""
        let faults = result.faults.isEmpty ? "" : ", \(result.faults.count) damaged"
        progress.finish("\(result.goodCount) as they were\(new)\(faults)")
        if !result.faults.isEmpty { throw ExitCode(CaptureError.Code.inputOutput.exitStatus) }
    }
}

extension ImportReport {
    fileprivate func json(_ source: String) -> JSONValue {
        .object([
            "source": .string(source), "imported": .array(imported.map { .string("\($0)") }),
            "bytes": .integer(byteCount), "known": .integer(knownCount), "deleted": .integer(deletedCount),
            "left": .object(
                left.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    JSONValue.Member(name: $0.key.rawValue, value: .integer($0.value))
                }),
            "unreadable": .array(faults.map { .string("\($0)") }), "cut": .bool(isCut),
            "not_read": .integer(restCount),
        ])
    }
}
#endif
