// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import PipelineKit
import Testing

/// Recordings in fragments, as `mp4mux` writes them.
enum Recording: String, CaseIterable, Sendable {
    case silent
    case aac
    case opus

    private static let advice: Comment = "openh264enc, voaacenc or opusenc is missing; run scripts/setup test"

    /// Skips tests on machines without the encoders.
    static let isPossible = ConditionTrait.enabled(
        if: ["openh264enc", "h264parse", "mp4mux", "voaacenc", "aacparse", "opusenc", "opusparse"]
            .allSatisfy { GStreamer.hasElement($0) }, advice)

    /// The number of audio tracks.
    var soundTracks: Int { self == .silent ? 0 : 1 }

    /// Records 30 frames a second.
    ///
    /// - Parameter muxer: The properties of `mp4mux`.
    func bytes(frames: Int = 90, muxer: String = "fragment-duration=500") async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/clip.mp4"
        let video =
            "videotestsrc num-buffers=\(frames) ! video/x-raw,width=64,height=48,framerate=30/1 ! "
            + "openh264enc complexity=low gop-size=15 ! h264parse ! mp4mux name=muxer \(muxer) ! "
            + "filesink location=\(path) buffer-mode=unbuffered"
        try await Self.run(video + sound(milliseconds: frames * 1000 / 30))
        return try Array(Data(contentsOf: URL(filePath: path)))
    }

    private func sound(milliseconds: Int) -> String {
        let source =
            " audiotestsrc samplesperbuffer=480 num-buffers=\(milliseconds / 10) ! audio/x-raw,rate=48000,channels=1"
        return switch self {
        case .silent: ""
        case .aac: source + " ! voaacenc ! aacparse ! muxer."
        case .opus: source + " ! opusenc ! opusparse ! muxer."
        }
    }

    /// Returns the number of frames that GStreamer reads from a file.
    static func frameCount(of path: String) async throws -> Int {
        let pipeline = try Pipeline(
            "filesrc location=\(path) ! qtdemux ! h264parse ! video/x-h264,alignment=au ! appsink name=frames sync=false"
        )
        let sink = try AppSink(named: "frames", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var count = 0
        while try await sink.nextSample() != nil { count += 1 }
        try await pipeline.stop()
        return count
    }

    /// Runs a pipeline to its end.
    static func run(_ description: String) async throws {
        let pipeline = try Pipeline(description)
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        try await awaiting("the end of the recording") {
            for await message in messages {
                switch message.content {
                case .endOfStream: return
                case .error(let error): throw error
                default: continue
                }
            }
        }
        try await pipeline.stop()
    }
}

/// A file of a test.
struct ClipPath {
    private let folder: TemporaryFolder
    let path: String

    /// - Parameter bytes: The content; `nil` for no file.
    init(_ bytes: [UInt8]? = nil, isInMemory: Bool = false) throws {
        folder = try TemporaryFolder(isInMemory: isInMemory)
        path = folder.path + "/clip.mp4"
        if let bytes { try write(bytes) }
    }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

    func read() throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path))) }
}

/// Top-level boxes and lists of boxes, read so simply that tests can trust it.
struct BoxList {
    let types: [String]
    let ranges: [Range<Int>]

    /// Reads boxes with sizes of 32 or 64 bits.
    init(_ bytes: [UInt8], _ range: Range<Int>? = nil) throws {
        var (types, ranges): ([String], [Range<Int>]) = ([], [])
        var position = range?.lowerBound ?? 0
        let end = range?.upperBound ?? bytes.count
        while position < end {
            try #require(position + 8 <= end)
            var size = bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
            types.append(String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self))
            if size == 1 { size = bytes[(position + 8)..<(position + 16)].reduce(0) { $0 << 8 | Int($1) } }
            try #require(size >= 8 && position + size <= end)
            ranges.append(position..<(position + size))
            position += size
        }
        (self.types, self.ranges) = (types, ranges)
    }

    /// The first box of a type.
    func first(_ type: String) throws -> Range<Int> {
        ranges[try #require(types.firstIndex(of: type))]
    }
}

/// A file as ffprobe reads it, which is independent of this library.
struct ProbedMovie: Equatable {
    struct Packet: Hashable {
        let stream: Int
        /// In seconds.
        let time: String
        let isKey: Bool
        let hash: String
    }

    let packets: [Packet]
    /// The start of each stream, in seconds.
    let starts: [Double]
    /// The duration of the movie, in seconds.
    let duration: Double
    /// Everything that ffprobe reports as an error.
    let errors: String

    /// Skips tests on machines without ffprobe.
    static let isPossible = ConditionTrait.enabled(if: StillTool.has("ffprobe"), StillTool.advice)

    private struct Output: Decodable {
        struct Packet: Decodable {
            let streamIndex: Int
            let ptsTime: String?
            let flags: String
            let dataHash: String
        }

        struct Stream: Decodable {
            let startTime: String?
        }

        struct Format: Decodable { let duration: String? }

        let packets: [Packet]
        let streams: [Stream]
        let format: Format
    }

    init(_ path: String) async throws {
        let folder = try TemporaryFolder()
        let output = folder.path + "/probe.json"
        let outcome = try await StillTool.run(
            "ffprobe",
            [
                "-v", "error", "-show_packets", "-show_data_hash", "MD5", "-show_streams", "-show_format",
                "-of", "json", "-o", output, path,
            ])
        try #require(outcome.status == 0, "\(outcome.text)")
        errors = outcome.text
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let read = try decoder.decode(Output.self, from: Data(contentsOf: URL(filePath: output)))
        packets = read.packets.map {
            Packet(stream: $0.streamIndex, time: $0.ptsTime ?? "", isKey: $0.flags.hasPrefix("K"), hash: $0.dataHash)
        }
        starts = read.streams.map { Double($0.startTime ?? "") ?? -1 }
        duration = Double(read.format.duration ?? "") ?? -1
    }

    /// The number of packets of a stream.
    func count(_ stream: Int) -> Int { packets.count { $0.stream == stream } }

    /// The packets of each stream in order; players may order the streams in several ways.
    var byStream: [Int: [Packet]] { Dictionary(grouping: packets, by: \.stream) }
}
