// Part of gst-capture. Apache License 2.0, see LICENSE.

// Older versions of Swift pass no values to the process of a test.
#if compiler(>=6.3)
import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Synchronization
import SystemBase
import Testing
import VideoKit

@Suite("A clip of a killed process", .timeLimit(.minutes(60)), Recording.isPossible, ProbedMovie.isPossible)
struct KilledClipTests {
    /// The number of processes that are killed: 5 by default, 200 in `make soak`.
    private static let kills = ProcessInfo.processInfo.environment["CLIP_KILLS"].flatMap { Int($0) } ?? 5
    /// The most that a kill may cost, in seconds.
    private static let mostLost = 0.6
    /// The most that half of the kills may cost, in seconds.
    private static let medianLost = 0.45

    @Test("A kill at any moment of a recording costs at most 0.6 s, and the file is repaired")
    func killed() async throws {
        var losses: [Double] = []
        for number in 0..<Self.kills {
            let folder = try TemporaryFolder()
            let frames = Int.random(in: 20...90)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.path as String, frames = frames as Int] in
                try await RecordingProcess(folder: path).run(untilFrame: frames)
            }
            losses.append(try await loss(in: folder.path))
            // A failure names its recording.
            try #require(losses[number] <= Self.mostLost, "kill \(number): \(losses[number]) s")
        }
        #expect(losses.sorted()[losses.count / 2] <= Self.medianLost)
    }

    /// Repairs the recording of a killed process, and returns the seconds that it lost.
    private func loss(in folder: String) async throws -> Double {
        let path = folder + "/clip.mp4"
        let report = try ClipFile.finalize(path)
        let movie = try await ProbedMovie(path)
        #expect(movie.errors.isEmpty, "\(movie.errors)")
        #expect(report.tracks.map(\.sampleCount) == (0..<report.tracks.count).map { movie.count($0) })
        #expect(report.tracks.map(\.codec) == ["avc1", "mp4a"])
        let times = try Data(contentsOf: URL(filePath: folder + "/times")).withUnsafeBytes { bytes in
            (0..<(bytes.count / 8)).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
        }
        let first = try #require(times.first)
        let captured = Double(try #require(times.last) - first) / 1e9
        let video = movie.packets.filter { $0.stream == 0 }.compactMap { Double($0.time) }.max() ?? 0
        return captured - video
    }
}

/// Records a test picture and a test sound until the process kills itself.
private struct RecordingProcess {
    let folder: String

    /// Records, and kills this process at a random moment after a frame was captured.
    func run(untilFrame count: Int) async throws {
        let pipeline = try Pipeline(
            "videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1 ! identity name=camera ! "
                + "openh264enc complexity=low gop-size=30 ! h264parse ! "
                + "video/x-h264,stream-format=avc,alignment=au ! appsink name=units sync=false")
        let outlet = try FrameOutlet(named: "units", in: pipeline)
        let (units, continuation) = AsyncStream<(EncodedUnit, FragmentWriter.Track)>.makeStream()
        let pictures = outlet.bridge { [weak pipeline] sample in
            guard let base = pipeline?.baseTime, let time = sample.runningTime, let flags = sample.buffer?.flags else {
                return
            }
            let unit = EncodedUnit(
                sample, time: base + .nanoseconds(Int(time.nanoseconds)), isKey: !flags.contains(.deltaUnit))
            continuation.yield((unit, .video))
        }
        let microphone = try await SoundSource.open(.elements("audiotestsrc is-live=true"))
        let packets = microphone.bridge { continuation.yield(($0, .audio)) }
        try recordTimes(of: pipeline, killAt: count)
        try await pipeline.play()
        try await store(units)
        withExtendedLifetime((pictures, packets)) {}
    }

    /// Writes the time of each captured frame to a file, before the frame is encoded.
    private func recordTimes(of pipeline: Pipeline, killAt count: Int) throws {
        let times = open(folder + "/times", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(times >= 0)
        let frames = Counter()
        try #require(try pipeline.element(named: "camera").pad("src")).probeBuffers { buffer in
            var time = buffer.presentationTime?.nanoseconds ?? 0
            _ = Glibc.write(times, &time, 8)
            if frames.next() == count { Self.killSoon() }
            return .pass
        }
    }

    /// Kills this process on a thread that runs for a random time, up to three frames, before.
    private static func killSoon() {
        let end = ClockTime.now + .microseconds(Int.random(in: 0...100_000))
        Thread.detachNewThread {
            while ClockTime.now < end {}
            kill(getpid(), SIGKILL)
        }
    }

    private func store(_ units: AsyncStream<(EncodedUnit, FragmentWriter.Track)>) async throws {
        var (clip, early, sound): (ClipWriter?, [EncodedUnit], Caps?) = (nil, [], nil)
        for await (unit, track) in units {
            if track == .audio, sound == nil { sound = unit.sample.caps }
            if clip == nil, track == .video {
                early.append(unit)
                guard let caps = early[0].sample.caps, let sound else { continue }
                clip = try await ClipWriter.create(folder + "/clip.mp4", video: caps, sound: sound)
                for picture in early { try await clip?.append(picture, of: .video) }
            } else {
                try await clip?.append(unit, of: track)
            }
        }
    }
}

/// Counts calls of one thread at a time.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
#endif
