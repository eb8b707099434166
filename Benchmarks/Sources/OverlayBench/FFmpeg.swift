// Part of gst-capture. Apache License 2.0, see LICENSE.

/// ffmpeg's overlay filter: the processor time of a command with it, less that of the same command without it.
///
/// Frames are read as raw video from a file, so that the filter owns each of them, and are discarded. The picture is
/// read once.
struct FFmpeg {
    private let input: [String]
    private let picture: String
    private let few = 20
    private let many = 220

    init(_ kind: FrameKind, _ art: Artwork, in folder: ScratchFolder) throws {
        guard kind.format == "I420" else { throw BenchError("ffmpeg is asked for I420 alone") }
        let path = "\(folder.path)/frames-\(kind.size.rawValue).yuv"
        let frames = try FrameSupply.count * kind.info().byteCount
        try File.write([UInt8](repeating: 0x80, count: frames), to: path)
        input = [
            "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(kind.size.width)x\(kind.size.height)", "-r", "30",
            "-stream_loop", "-1", "-i", path,
        ]
        picture = art.png
    }

    /// Nanoseconds a frame.
    ///
    /// - Throws: if ffmpeg is missing.
    func run(rounds: Int) throws -> Timing {
        let overlay = ["-i", picture, "-filter_complex", "overlay=format=yuv420"]
        let commands = [(overlay, many), (overlay, few), ([], many), ([], few)]
        var times = commands.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, command) in commands.enumerated() { times[index].append(try time(command.0, command.1)) }
        }
        let timings = times.map(Timing.init)
        // The time of each further frame, once all files are open and read.
        let (with, without) = (timings[0] - timings[1], timings[2] - timings[3])
        return (with - without) / Double(many - few)
    }

    private func time(_ overlay: [String], _ frames: Int) throws -> Double {
        let threads = ["-threads", "1", "-filter_threads", "1", "-filter_complex_threads", "1"]
        let output = ["-frames:v", "\(frames)", "-f", "null", "-"]
        return try Child(["ffmpeg", "-v", "error", "-nostdin"] + threads + input + overlay + output).cpuTime
    }
}
