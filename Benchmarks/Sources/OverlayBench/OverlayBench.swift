// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import OverlayCompositor

/// Measures the cost of outlines on a preview: ours, the common elements, and the minimum on this machine.
@main
enum OverlayBench {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            try await run(options)
        } catch {
            let line = Array("overlay-bench: \(error)\n".utf8)
            write(STDERR_FILENO, line, line.count)
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let scene = Scene(folder: options.outlines)
        if options.countsAllocations { return try await Allocations.count(scene, Match.fullKind) }
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let report: any Report = options.isJSON ? JSONReport() : TableReport()
        report.begin(options.rounds)
        if options.isQuick {
            report.show(try await Match(scene, Match.fullKind, options.rounds, withPeers: false, in: folder))
        } else {
            try await Bench(scene: scene, options: options, report: report, folder: folder).run()
        }
    }
}
