// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The content of contact sheets, and the pictures that are missing on them.
package struct SheetReport: Sendable {
    /// The findings about all pictures of the folder, the series or the album.
    package internal(set) var findings: FilmReport
    /// The number of pictures of a plan, or that the sheets show.
    package private(set) var count: Int
    /// The number of pictures of which these are chosen.
    package let allCount: Int
    /// The number of sheets of the plan.
    package let sheetCount: Int
    package let size: FrameSize
    package let columns: Int
    /// The paths of the sheets; empty for a plan.
    package private(set) var files: [String] = []
    package private(set) var byteCount = 0
    /// `false` if the run was ended before the last sheet.
    package internal(set) var isComplete = false

    /// Creates the report of a plan.
    package init(_ plan: SheetPlan, _ findings: FilmReport) {
        (self.findings, count, allCount) = (findings, plan.pictures.count, plan.allCount)
        (sheetCount, size, columns) = (plan.sheetCount, plan.layout.size, plan.layout.columns)
    }

    /// Adds a sheet.
    mutating func add(_ path: String, _ byteCount: Int, _ count: Int) {
        self.count = files.isEmpty ? count : self.count + count
        files.append(path)
        self.byteCount += byteCount
    }
}

// MARK: - Words

extension SheetReport {
    /// The lines for people. They begin with the sheets; the others are about missing and unusual pictures.
    package var lines: [String] {
        let sheets = sheetCount == 1 ? "1 sheet" : "\(sheetCount) sheets"
        let title = "\(countWords) on \(sheets) of \(size), \(columns) column\(columns == 1 ? "" : "s")"
        return [title] + findings.findings()
    }

    /// The number of pictures: `100 of 1438 pictures`.
    var countWords: String { Self.words(count, of: allCount) }

    /// Returns a number of pictures that are shown, and the number from which they are chosen, in words.
    static func words(_ count: Int, of allCount: Int) -> String {
        (count < allCount ? "\(count) of " : "") + "\(allCount) picture\(allCount == 1 ? "" : "s")"
    }

    /// Returns the gaps and the skipped files for the line on a sheet.
    ///
    /// - Parameter knowsSkipped: `false` before the last sheet: files that follow can be damaged.
    func onSheet(knowsSkipped: Bool = true) -> SheetFindings {
        SheetFindings(
            gapCount: findings.gaps.count, missingCount: findings.gaps.reduce(0) { $0 + $1.missingCount },
            skippedCount: knowsSkipped ? findings.skipped.count : nil)
    }
}

/// The gaps and the skipped files of a sheet.
struct SheetFindings: Sendable, Hashable {
    /// The number of gaps; `nil` if the pictures have no order in which some could be missing.
    var gapCount: Int?
    /// The number of pictures that are missing in them.
    var missingCount = 0
    /// The number of skipped files; `nil` if it is not known yet.
    var skippedCount: Int?

    /// One line; empty if nothing is known.
    var words: String {
        let found = [
            gapCount.flatMap { $0 > 0 ? "\(count(missingCount, "picture")) missing in \(count($0, "gap"))" : nil },
            skippedCount.flatMap { $0 > 0 ? "\(count($0, "file")) skipped" : nil },
        ].compactMap(\.self)
        guard found.isEmpty else { return found.joined(separator: ", ") }
        let none = [gapCount.map { _ in "no gaps found" }, skippedCount.map { _ in "no files skipped" }]
        return none.compactMap(\.self).joined(separator: ", ")
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

// MARK: - JSON

extension SheetReport {
    /// The members of the object for programs. They stay the same between releases.
    package var members: [JSONValue.Member] {
        let isPlan = files.isEmpty
        let members: [(String, JSONValue?)] = [
            ("source", .string(findings.source)),
            ("files", isPlan ? nil : .array(files.map(JSONValue.string))),
            ("complete", isPlan ? nil : .bool(isComplete)), ("pictures", .integer(count)),
            ("of", .integer(allCount)), ("sheets", .integer(sheetCount)), ("columns", .integer(columns)),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("bytes", isPlan ? nil : .integer(byteCount)),
        ]
        return members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
            + findings.findingMembers
    }
}
