// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import TerminalKit

/// Prints, filters, exports, verifies and plots the ledger of a timelapse.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Show the outcome of each slot of a timelapse, verify its pictures, and plot it.",
        discussion: """
            A timelapse keeps a ledger in the hidden folder .gst-capture beside its pictures: a line for each slot, with \
            its moment, and the picture's offset, size, hash, brightness and sharpness, or why it is missing. \
            It can be read while the timelapse runs. A table shows the last \(LedgerReport.shownLines) lines unless \
            --limit says otherwise; slots count from 1 there, and from 0 in JSON and CSV, as in events.

            Examples:
              gst-capture ledger /srv/garden
              gst-capture ledger /srv/garden --outcome missed,failed --since 2026-11-20
              gst-capture ledger /srv/garden --since 2h --limit 0
              gst-capture ledger /srv/garden --csv > garden.csv
              gst-capture ledger /srv/garden --json | jq 'select(.sharpness < 20) | .file'
              gst-capture ledger /srv/garden --verify
              gst-capture ledger plot /srv/garden -o garden.svg

            For a folder with several ledgers it prints the totals of each; with options it reads one after the other. \
            --verify reads the pictures: each must exist, with unchanged size and bytes. Pictures that were removed to \
            make room, or replaced, are left out. The exit status is 74 if a picture fails the check.
            """,
        subcommands: [Show.self, Plot.self], defaultSubcommand: Show.self)
}

extension LedgerCommand {
    /// Reads the moment of an option.
    static func moment(_ option: String, _ text: String) throws(CaptureError) -> WallTime {
        do throws(CaptureError) {
            return try LedgerFilter.moment(parsing: text)
        } catch {
            throw CaptureError(error.code, error.message, subject: option, advice: error.advice)
        }
    }

    /// Prints, filters, exports and verifies a ledger.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the outcome of each slot, and verify the pictures (the default).")

        @Argument(help: "The folder of the pictures, or a ledger.", completion: .directory)
        var path = "."

        @Flag(help: "One JSON object a line.")
        var json = false

        @Flag(help: "Comma-separated values with a line of names (RFC 4180).")
        var csv = false

        @Option(help: ArgumentHelp("Only these outcomes: captured, late, missed, failed.", valueName: "outcome"))
        var outcome: [String] = []

        @Option(
            help: ArgumentHelp("Only slots due at this time or later: 18:00, 2026-11-21, 2h ago.", valueName: "time"))
        var since: String?

        @Option(help: ArgumentHelp("Only slots due before this time.", valueName: "time"))
        var until: String?

        @Option(help: ArgumentHelp("Only these slots: 5, 5-20 or 5-.", valueName: "slots"))
        var slots: String?

        @Option(help: ArgumentHelp("Only this many lines, from the end; 0 for all.", valueName: "number"))
        var limit: Int?

        @Flag(help: "Read the pictures, and list those that are missing or have changed.")
        var verify = false

        func validate() throws {
            if json, csv { throw ValidationError("--json and --csv: one is enough") }
            if let limit, limit < 0 { throw ValidationError("--limit is 0 or more") }
        }

        func run() throws {
            var status = ExitStatus.success
            do throws(CaptureError) {
                let filter = try filter()
                let paths = try LedgerFinder.ledgers(at: path)
                if csv { StandardStream.output.write(LedgerRecord.csvHead) }
                let statuses = paths.map { report($0, filter, isOneOfSeveral: paths.count > 1) }
                if paths.count > 1, isOverview {
                    Console().report("there are several ledgers; name one to see its lines")
                }
                status = statuses.first { $0 != .success } ?? .success
            } catch {
                status = reportFailure(error)
            }
            if status != .success { throw status }
        }

        /// Reports one ledger. An error in it does not affect the others.
        private func report(_ path: String, _ filter: LedgerFilter, isOneOfSeveral: Bool) -> ExitStatus {
            do throws(CaptureError) {
                let report = LedgerReport(try LedgerReader(path), format, filter)
                if isOneOfSeveral { report.printTitle() }
                if verify {
                    return try report.verify() ? .success : ExitStatus(code: CaptureError.Code.inputOutput.exitStatus)
                }
                if isOneOfSeveral, isOverview { try report.printWhole() } else { try report.show() }
                return .success
            } catch {
                return reportFailure(error)
            }
        }

        private func reportFailure(_ error: CaptureError) -> ExitStatus {
            if json { JSONEventPrinter(stream: .output).report(.error(error)) } else { Console().report(error) }
            return ExitStatus(error)
        }

        private var format: LedgerReport.Format { json ? .json : csv ? .csv : .table }

        /// `true` if no option selects lines or another format.
        private var isOverview: Bool {
            format == .table && !verify && outcome.isEmpty && since == nil && until == nil && slots == nil
                && limit == nil
        }

        private func filter() throws(CaptureError) -> LedgerFilter {
            var filter = LedgerFilter()
            filter.order = .slots
            filter.outcomes = try Self.outcomes(outcome)
            filter.since = try since.map { text throws(CaptureError) in try LedgerCommand.moment("--since", text) }
            filter.until = try until.map { text throws(CaptureError) in try LedgerCommand.moment("--until", text) }
            filter.slots = try slots.map { text throws(CaptureError) in try LedgerFilter.slots(parsing: text) }
            filter.limit = limit == 0 ? nil : limit ?? (format == .table && !verify ? LedgerReport.shownLines : nil)
            return filter
        }

        private static func outcomes(_ texts: [String]) throws(CaptureError) -> Set<LedgerFilter.Outcome> {
            var outcomes: Set<LedgerFilter.Outcome> = []
            for word in texts.flatMap({ $0.split(separator: ",") }) {
                guard let outcome = LedgerFilter.Outcome(rawValue: String(word)) else {
                    throw CaptureError(
                        .usage, "'\(word)' is not an outcome", subject: "--outcome",
                        advice: "use one of " + LedgerFilter.Outcome.allCases.map(\.rawValue).joined(separator: ", "))
                }
                outcomes.insert(outcome)
            }
            return outcomes
        }
    }
}
