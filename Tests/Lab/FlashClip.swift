// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A recorded clip with clicks and flashes, and when they really were, in seconds.
struct FlashClip {
    /// By how much the sound of each click is later in the clip than the picture of its flash, compared with the machine.
    let lateness: [Double]

    /// Decodes the clip of a step.
    init(_ step: LabStep) async throws {
        let events = try CommandOutput.lines(of: step, as: Event.self)
        let began = try #require(events.first { $0.event == "began" }?.at.timeIntervalSince1970)
        let offset = try #require(Double(Self.text("offset", of: step).trimmingCharacters(in: .newlines))) / 1e9
        let start = began - offset
        let clip = step.file("clip.mp4")
        let (flashes, clicks) = (try await Self.flashes(in: clip), try await Self.clicks(in: clip))
        let realFlashes = try Self.times("flash", in: "flashes", of: step)
        let realClicks = try Self.times("click", in: "clicks", of: step)
        // A second lies between two of them, so the nearest is meant.
        lateness = clicks.compactMap { click in
            guard let flash = Self.nearest(click, in: flashes),
                let realClick = Self.nearest(start + click, in: realClicks),
                let realFlash = Self.nearest(start + flash, in: realFlashes)
            else { return nil }
            return (click - flash) - (realClick - realFlash)
        }
    }

    /// An event of a recording, whose summary is not that of pictures.
    private struct Event: Decodable {
        let event: String
        let at: Date
    }

    /// The codecs of a movie's streams.
    static func streams(of clip: URL) async throws -> [String] {
        try await probe(clip, ["-show_entries", "stream=codec_name"]).map { String($0) }
    }

    /// The nearest time, at most 0.4 s away.
    private static func nearest(_ time: Double, in times: [Double]) -> Double? {
        times.min { abs($0 - time) < abs($1 - time) }.flatMap { abs($0 - time) < 0.4 ? $0 : nil }
    }

    private static func text(_ name: String, of step: LabStep) throws -> String {
        try String(decoding: Data(contentsOf: step.file(name)), as: UTF8.self)
    }

    /// The times of lines such as `click 12000006788`, in nanoseconds.
    static func times(_ word: String, in name: String, of step: LabStep) throws -> [Double] {
        try text(name, of: step).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == word ? Double(words[1]).map { $0 / 1e9 } : nil
        }
    }

    /// The times of the first bright pictures. The resolution is that of timestamps, not of pictures: the camera prints when
    /// it sends the picture.
    private static func flashes(in clip: URL) async throws -> [Double] {
        let levels = try await decode(clip, ["-an", "-vf", "scale=1:1,format=gray", "-fps_mode", "passthrough"])
        let times = try await probe(clip, ["-select_streams", "v", "-show_entries", "frame=pts_time"])
            .compactMap { Double($0) }
        try #require(levels.count == times.count, "\(levels.count) pictures, \(times.count) times")
        return times.indices.dropFirst().filter { levels[$0] > 120 && levels[$0 - 1] <= 120 }.map { times[$0] }
    }

    /// The times of the first loud samples, by the timestamps of their packets.
    private static func clicks(in clip: URL) async throws -> [Double] {
        let bytes = try await decode(clip, ["-vn", "-ac", "1", "-ar", "48000"], "s16le")
        let packets = try await probe(clip, ["-select_streams", "a", "-show_entries", "packet=pts_time"])
            .compactMap { Double($0) }
        let (samplesPerPacket, rate) = (1024, 48_000.0)
        try #require(bytes.count == 2 * samplesPerPacket * packets.count, "\(packets.count) packets")
        var (times, index) = ([Double](), 0)
        while index < bytes.count / 2 {
            let sample = Int16(truncatingIfNeeded: Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8)
            guard abs(Int(sample)) > 8000 else {
                index += 1
                continue
            }
            times.append(packets[index / samplesPerPacket] + Double(index % samplesPerPacket) / rate)
            index += Int(rate) / 2
        }
        return times
    }

    private static func decode(_ clip: URL, _ options: [String], _ format: String = "rawvideo") async throws -> [UInt8]
    {
        let outcome = try await Program.run(
            "ffmpeg", ["-v", "error", "-i", clip.path] + options + ["-f", format, "-"])
        try #require(outcome.status == 0, "\(outcome.error)")
        return [UInt8](outcome.output)
    }

    private static func probe(_ clip: URL, _ options: [String]) async throws -> [Substring] {
        let outcome = try await Program.run("ffprobe", ["-v", "error"] + options + ["-of", "csv=p=0", clip.path])
        try #require(outcome.status == 0, "\(outcome.error)")
        return String(decoding: outcome.output, as: UTF8.self).split { ",\n".contains($0) }
    }
}

/// When the driver of the webcam stamped pictures, as `v4l2-ctl --verbose` prints it.
struct FlashStamps {
    /// The median time from the first byte of a flash to the timestamp of its picture, in seconds.
    let delay: Double

    /// Reads the timestamps of a step.
    init(_ step: LabStep) throws {
        // cap dqbuf: 1 seq: 1 bytesused: 153600 ts: 10.445578 delta: 66.406 ms (ts-monotonic, ts-src-soe)
        let stamps = (step.output + step.error).split(separator: "\n").compactMap { line -> Double? in
            guard let range = line.range(of: " ts: ") else { return nil }
            return line[range.upperBound...].split(separator: " ").first.flatMap { Double($0) }
        }
        // Pictures come 67 ms apart.
        let delays = try FlashClip.times("flash", in: "flashes", of: step).compactMap { flash in
            stamps.map { $0 - flash }.first { abs($0) < 0.03 }
        }
        try #require(delays.count >= 5, "\(delays.count) flashes, \(stamps.count) timestamps")
        delay = delays.sorted()[delays.count / 2]
    }
}
