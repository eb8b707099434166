// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import Glibc

/// How often memory is asked for with each frame, on the thread that the frames are on.
///
/// GLib keeps small pieces of memory to itself. That they count, too, is decided when a process starts: it is measured
/// in another process of this program.
struct Allocations {
    /// The option that makes this program that process.
    static let option = "--count-allocations"

    /// For each contestant's name, how often.
    let counts: [(name: String, perFrame: Double)]

    subscript(_ name: String) -> Double? { counts.first { $0.name == name }?.perFrame }

    /// Has them counted.
    init(_ scene: Scene) throws {
        let program = try String(decoding: Self.executable(), as: UTF8.self)
        let arguments = [program, Self.option, "--outlines", scene.folder]
        let child = try Child(arguments, environment: ["G_SLICE=always-malloc"])
        counts = try child.output.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let count = Double(words[1]) else { throw BenchError("counted no allocations") }
            return (String(words[0]), count)
        }
    }

    /// What the other process does: prints names and figures.
    static func count(_ scene: Scene, _ kind: FrameKind) async throws {
        let contestants = try await Contestant.pipelines(scene, FrameSupply(kind))
        guard bench_counts_allocations() else { throw BenchError("allocations are not counted here") }
        let frames = 300
        for contestant in contestants {
            // What is made with the first frames is made once.
            try contestant.line.push(10)
            let start = bench_allocations()
            try contestant.line.push(frames)
            let count = bench_allocations() - start
            print(contestant.name, Double(count) / Double(frames))
        }
    }

    private static func executable() throws -> [UInt8] {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { $0.baseAddress.map { readlink("/proc/self/exe", $0, 4096) } ?? 0 }
        guard count > 0 else { throw BenchError("this program does not find itself") }
        return Array(path[..<count])
    }
}
