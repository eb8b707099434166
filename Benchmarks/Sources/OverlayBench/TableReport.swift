// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Prints the measurements as tables.
struct TableReport: Report {
    func begin(_ rounds: Rounds) {
        print(
            """
            Outlines face, body-front and card in lines of 6 px at 1080p. Microseconds of CPU time for a frame, less those
            of the same pipeline without overlay; \(rounds.count) turns each, one contestant after the other; \(FrameSupply.count) buffers
            go around. Compare by the least: others on the machine make a turn only longer. Now its load is \(Self.load).
            """)
    }

    func show(_ match: Match) {
        print(
            "\n\(match.kind): \(match.changedBytes) bytes change, in \(match.blocks) blocks of 16;",
            "the plan looks at \(match.touchedBytes)")
        show(match.rows, beside: "ours")
        for missing in match.missing { print("  missing: \(missing)") }
        if let ours = match["ours"] {
            print(ours.isCopied ? "  ours COPIED frames" : "  ours is in place: no frame was copied")
        }
    }

    func show(grounds rows: [Row], _ kind: FrameKind) {
        print("\n\(kind): layers over the whole frame, each alone")
        show(rows, beside: "ghost")
    }

    private func show(_ rows: [Row], beside name: String) {
        func least(_ name: String) -> Double { rows.first { $0.name == name }?.timing.least ?? .nan }
        print(columns("", "median", "least", "x memcpy", "x \(name)"))
        for row in rows {
            let title = row.note.isEmpty ? row.name : "\(row.name) (\(row.note))"
            let timing = row.timing
            let (copy, other) = (timing.least / least("memcpy"), timing.least / least(name))
            print(
                columns(title, timing.median.microseconds, timing.least.microseconds, copy.text(3), other.text(2)))
        }
    }

    func show(_ planning: Planning) {
        print("\nMaking a plan, in milliseconds of the wall clock, while frames flow")
        print(columns("", "median", "least"))
        for (name, timing) in planning.steps { print(columns(name, timing.median.text(2), timing.least.text(2))) }
    }

    func show(_ allocations: Allocations) {
        print("\nAllocations for each frame, on its thread, GLib's slices included")
        for (name, count) in allocations.counts { print(columns(Self.title(name), count.text(2))) }
    }

    func show(_ targets: [Target]) {
        print("\nTargets of this run, by the least")
        for target in targets {
            let verdict = target.isMet.map { $0 ? "met   " : "MISSED" } ?? "open  "
            print("  \(verdict)  \(target.promise): \(target.figures)")
        }
    }

    /// The load of the machine.
    private static var load: String {
        var load = 0.0
        guard getloadavg(&load, 1) == 1 else { return "unknown" }
        return "\(load.text(1)), of \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors"
    }

    private static func title(_ contestant: String) -> String {
        switch contestant {
        case "bare": "pipeline without overlay"
        case "mapped": "the same, each frame mapped"
        case "ours": "pipeline with overlay"
        case "kernel": "each frame mapped and blended"
        default: contestant
        }
    }

    /// The first column aligned left, all others right.
    private func columns(_ first: String, _ others: String...) -> String {
        let padding = String(repeating: " ", count: max(1, 52 - first.count))
        return others.reduce("  " + first + padding) { line, text in
            line + String(repeating: " ", count: max(1, 10 - text.count)) + text
        }
    }
}
