// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// Moves pictures into the trash.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move pictures into the trash, from which they can return.",
        discussion: """
            A deleted picture stays in the trash of its folder for 30 days. The trash counts toward the disk: a time lapse \
            that needs room erases it first.

            Examples:
              gst-capture library delete garden-pi.garden-1204
              gst-capture library search -q tag:blurred | gst-capture library delete -
            """)

    @OptionGroup var items: ItemArguments

    func run() throws {
        try items.apply("deleted") { index, identifiers, report, progress throws(CaptureError) in
            try index.delete(identifiers, report: report, progress: progress)
        }
    }
}

/// Moves pictures out of the trash.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Move pictures from the trash back to their places.")

    @OptionGroup var items: ItemArguments

    func run() throws {
        try items.apply("restored") { index, identifiers, report, progress throws(CaptureError) in
            try index.restore(identifiers, report: report, progress: progress)
        }
    }
}

/// Lists or empties the trash.
struct Trash: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the trash, the last deleted picture first, or empty it.")

    @Flag(help: "Erase all pictures in the trash for good.")
    var empty = false

    @OptionGroup var list: ListOptions
    @OptionGroup var library: LibraryOptions

    func run() throws {
        if empty { return try erase(try library.openComplete()) }
        let index = try library.open()
        var position: TrashPosition?
        repeat {
            let page = try index.trash(from: position, limit: LibraryIndex.mostItems)
            for entry in page.entries {
                list.show(entry.item, try index.item(entry.item.id)?.places ?? [])
                if StandardStream.isBroken { return }
            }
            position = page.next
        } while position != nil
        guard !list.isForPrograms else { return }
        let (count, byteCount) = try index.trashSize()
        Console().report("\(count == 1 ? "1 picture" : "\(count) pictures"), \(ByteSize.text(byteCount))")
    }

    private func erase(_ index: LibraryIndex) throws {
        let progress = ProgressLine("pictures")
        var failure: CaptureError?
        let report = { (error: CaptureError) in
            progress.report(error)
            failure = failure ?? error
        }
        let count = try index.emptyTrash(report: report) { progress.show($0, of: $1) }
        progress.finish(count == 1 ? "1 picture erased" : "\(count) pictures erased")
        if let failure { throw ExitCode(failure.code.exitStatus) }
    }
}
#endif
