// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The content of a film, and the pictures that are missing in it.
package struct FilmReport: Sendable {
    /// A film in its file.
    package struct Film: Sendable, Hashable {
        package var path: String
        package var byteCount: Int
        /// The name of the encoder.
        package var encoder: String
        /// `false` if the film was ended before its last picture.
        package var isComplete: Bool
    }

    /// The folder, the series or the album of the film.
    package var source: String
    /// The number of pictures that the film shows.
    package var frameCount: Int
    package var duration: Duration
    package var size: FrameSize
    package var rate: Fraction
    /// The files that the film does not show, because they are no pictures, or damaged.
    package var skipped: [SkippedPicture]
    package var gaps: [FilmGap]
    package var clockSteps: [FilmClockStep]
    package var cameras: [FilmCount]
    package var sizes: [FilmCount]
    package var leftOutCount: Int
    package var untimedCount: Int
    /// The film; `nil` for a plan.
    package var film: Film?

    /// Creates the report of a plan.
    package init(_ plan: FilmPlan, of source: String, skipped: [SkippedPicture]) {
        (self.source, self.skipped) = (source, skipped)
        (frameCount, duration, size, rate) = (plan.frames.count, plan.duration, plan.size, plan.rate)
        (gaps, clockSteps, cameras, sizes) = (plan.gaps, plan.clockSteps, plan.cameras, plan.sizes)
        (leftOutCount, untimedCount) = (plan.leftOutCount, plan.untimedCount)
    }
}

// MARK: - Words

extension FilmReport {
    /// The most entries of a list for people. JSON has all.
    private static let mostShown = 10

    /// The lines for people. They begin with the film itself; the others are about missing and unusual pictures.
    package var lines: [String] {
        [title] + findings(gaps: gapEnding, sizes: "; all are scaled to \(size)")
    }

    /// The lines about missing and unusual pictures.
    ///
    /// - Parameters:
    ///   - gaps: The end of the line about gaps.
    ///   - sizes: The end of the line about several sizes.
    func findings(gaps gapEnding: String = "", sizes sizeEnding: String = "") -> [String] {
        var lines: [String] = []
        if leftOutCount > 0 { lines.append("\(count(leftOutCount, "picture")) left out by choice") }
        lines += list(skipped, "skipped") { "\($0.name): \($0.reason)" }
        lines += list(gaps, "missing", missingWords + gapEnding, gapLine)
        lines += list(clockSteps, "clock set back") { "\($0.name): by \($0.back.wholeSeconds)" }
        if cameras.count > 1 {
            lines.append("\(cameras.count) cameras: \(words(cameras)); --camera chooses one")
        }
        if sizes.count > 1 { lines.append("\(sizes.count) sizes: \(words(sizes))\(sizeEnding)") }
        if untimedCount > 0 {
            lines.append("\(count(untimedCount, "picture")) without a time: that of the file counts")
        }
        return lines.map(\.withoutControls)
    }

    private var title: String {
        let length = duration.clockText
        return "\(count(frameCount, "picture")), \(length) at \(Self.words(rate)) a second, \(size)"
    }

    /// The number of pictures that are missing: `12 pictures missing in 1 gap`.
    var missingWords: String {
        let missing = gaps.reduce(0) { $0 + $1.missingCount }
        return "\(count(missing, "picture")) missing in \(count(gaps.count, "gap"))"
    }

    private var gapEnding: String {
        let held = gaps.reduce(0) { $0 + $1.heldCount }
        return held > 0 ? ", held for \(count(held, "frame"))" : ", jumped"
    }

    private func gapLine(_ gap: FilmGap) -> String {
        let times = [gap.start, gap.end].compactMap { $0.formatted("%Y-%m-%d %H:%M:%S") }.joined(separator: " to ")
        return "\(gap.missingCount) between \(gap.after) and \(gap.before), \(times)"
    }

    /// Returns a title, and a line for each of the first entries.
    private func list<Entry>(
        _ entries: [Entry], _ name: String, _ title: String? = nil, _ line: (Entry) -> String
    ) -> [String] {
        guard !entries.isEmpty else { return [] }
        let more =
            entries.count > Self.mostShown ? ["  and \(entries.count - Self.mostShown) more; --json lists all"] : []
        return [title ?? "\(entries.count) \(name)"] + entries.prefix(Self.mostShown).map { "  " + line($0) } + more
    }

    private func words(_ counts: [FilmCount]) -> String {
        counts.prefix(Self.mostShown).map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
            + (counts.count > Self.mostShown ? " and others" : "")
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Returns a rate such as `30` or `29.97`.
    package static func words(_ rate: Fraction) -> String {
        let hundredths = Int((rate.doubleValue * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest.padded(to: 2))
    }
}

extension Duration {
    /// The duration in its units down to a second.
    fileprivate var wholeSeconds: String {
        Duration.seconds((nanoseconds + 500_000_000) / 1_000_000_000).shortText
    }
}

// MARK: - JSON

extension FilmReport {
    /// The members of the object for programs. They stay the same between releases.
    package var members: [JSONValue.Member] {
        let members: [(String, JSONValue?)] = [
            ("source", .string(source)), ("file", film.map { .string($0.path) }),
            ("complete", film.map { .bool($0.isComplete) }), ("frames", .integer(frameCount)),
            ("duration_ms", .milliseconds(duration)), ("rate", .number(rate.doubleValue)),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("bytes", film.map { .integer($0.byteCount) }), ("encoder", film.map { .string($0.encoder) }),
        ]
        return members.compactMap { name, value in value.map { JSONValue.Member(name: name, value: $0) } }
            + findingMembers
    }

    /// The members about missing and unusual pictures.
    var findingMembers: [JSONValue.Member] {
        let members: KeyValuePairs<String, JSONValue> = [
            "left_out": .integer(leftOutCount), "untimed": .integer(untimedCount),
            "skipped": .array(skipped.map(\.json)), "gaps": .array(gaps.map(\.json)),
            "clock_set_back": .array(clockSteps.map(\.json)), "cameras": .array(cameras.map(\.json)),
            "sizes": .array(sizes.map(\.json)),
        ]
        return members.map { JSONValue.Member(name: $0.key, value: $0.value) }
    }
}

extension SkippedPicture {
    fileprivate var json: JSONValue { .object(["file": .string(name), "reason": .string(reason)]) }
}

extension FilmGap {
    fileprivate var json: JSONValue {
        .object([
            "after": .string(after), "before": .string(before), "start": .string(start.iso8601),
            "end": .string(end.iso8601), "missing": .integer(missingCount), "held": .integer(heldCount),
        ])
    }
}

extension FilmClockStep {
    fileprivate var json: JSONValue { .object(["file": .string(name), "by_ms": .milliseconds(back)]) }
}

extension FilmCount {
    fileprivate var json: JSONValue { .object(["name": .string(name), "count": .integer(count)]) }
}
