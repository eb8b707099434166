// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import Dispatch
import TerminalKit
import UploadKit

extension OutboxProgram {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print each target: waiting and sent pictures, and its state.")

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var outbox: OutboxOptions

        func run() throws {
            for line in try TargetTable(try outbox.configuration(), try outbox.store(), json: json).lines {
                StandardStream.output.line(line)
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the pictures of a target that are dead, wait next, or stay there after their deletion.")

        @Argument(help: "A target.")
        var target: String

        @Flag(help: "One JSON object a line.")
        var json = false

        @Option(help: ArgumentHelp("The maximum number of each.", valueName: "count"))
        var limit = 50

        @OptionGroup var outbox: OutboxOptions

        func run() throws {
            let target = try outbox.configuration().target(target)
            let store = try outbox.store()
            for isDead in [true, false] {
                for job in try store.jobs(of: target.id, isDead: isDead, most: max(0, limit)) {
                    StandardStream.output.line(json ? job.json.text : job.line)
                }
            }
            for picture in try store.kept(at: target.id, most: max(0, limit)) {
                StandardStream.output.line(json ? picture.json.text : picture.line)
            }
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the state of the targets each time it changes, until Ctrl-C.")

        @Flag(help: "One JSON object a line.")
        var json = false

        @OptionGroup var outbox: OutboxOptions

        func run() async throws {
            let (configuration, store) = (try outbox.configuration(), try outbox.store())
            let (changes, inlet) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let watch = FileWatch(folder: try outbox.folder(), on: DispatchQueue(label: "gst-capture.outbox.watch")) {
                inlet.yield()
            }
            defer { watch?.end() }
            inlet.yield()
            var shown: [String] = []
            for await _ in changes {
                let lines = try TargetTable(configuration, store, json: json).lines
                // A table begins with its titles; a program reads the targets that have changed.
                for line in json ? lines.filter({ !shown.contains($0) }) : lines == shown ? [] : lines {
                    StandardStream.output.line(line)
                }
                shown = lines
            }
        }
    }
}

/// The targets as a table, or as lines of JSON.
struct TargetTable {
    let lines: [String]

    init(
        _ configuration: OutboxConfiguration, _ store: OutboxStore, json: Bool
    ) throws(CaptureError) {
        let reports = try TargetReport.all(configuration, store)
        for error in reports.flatMap(\.backlog.errors) { Console().report(error) }
        lines = json ? reports.map(\.json.text) : Self.table([TargetReport.titles] + reports.map(\.cells))
    }

    /// Pads the cells of each column to the same width. Numbers end, words begin at the same place.
    private static func table(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let padded = cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return (1...4).contains(column) ? space + cell : cell + space
            }
            var line = padded.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line.withoutControls
        }
    }
}
#endif
