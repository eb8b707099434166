// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import Glibc

/// Counts the memory requests for each frame, on the thread of the frames.
///
/// GLib manages small blocks itself. G_SLICE, which makes them count, must be set when a process starts, so that
/// another process of this program measures them.
struct Allocations {
    /// The option that starts this program as the counting process.
    static let option = "--count-allocations"

    /// The name and the number of requests for a frame of each contestant.
    let counts: [(name: String, perFrame: Double)]

    subscript(_ name: String) -> Double? { counts.first { $0.name == name }?.perFrame }

    /// Runs the counting process.
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

    /// Runs in the counting process: prints names and numbers.
    static func count(_ scene: Scene, _ kind: FrameKind) async throws {
        let contestants = try await Contestant.pipelines(scene, FrameSupply(kind))
        guard bench_counts_allocations() else { throw BenchError("allocations are not counted here") }
        let frames = 300
        for contestant in contestants {
            // The first frames make allocations that are not repeated.
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
