// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Synchronization
import SystemBase
import Testing
import VideoKit

@Suite("A clip", .timeLimit(.minutes(10)), Recording.isPossible)
struct ClipWriterTests {
    private let file: ClipPath

    init() throws { file = try ClipPath() }

    /// Creates a clip, and appends units in the order of their times.
    private func clip(
        _ pictures: [EncodedUnit], _ packets: [EncodedUnit] = [], sound: EncodedUnit? = nil
    ) async throws -> ClipWriter {
        let sound = sound ?? packets.first
        let clip = try await ClipWriter.create(
            file.path, video: try pictures[0].caps, sound: try sound.map { try $0.caps })
        let units =
            pictures.map { (unit: $0, track: FragmentWriter.Track.video) } + packets.map { (unit: $0, track: .audio) }
        for (unit, track) in units.sorted(by: { $0.unit.time < $1.unit.time }) {
            try await clip.append(unit, of: track)
        }
        return clip
    }

    /// The names of all files beside the clip.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: (file.path as NSString).deletingLastPathComponent)
    }

    // MARK: Whole clips

    @Test("A finished clip is an ordinary movie with all pictures and packets at their times", ProbedMovie.isPossible)
    func whole() async throws {
        let (pictures, packets) = (try await EncodedMedia.pictures(60), try await EncodedMedia.packets(90))
        let summary = try await clip(pictures, packets).finish()
        let movie = try await ProbedMovie(file.path)
        #expect(movie.errors.isEmpty && movie.count(0) == 60 && movie.count(1) == packets.count)
        #expect(summary.path == file.path && summary.frameCount == 60 && summary.start == EncodedMedia.start)
        #expect(abs(summary.duration / .seconds(1) - movie.duration) < 0.001 && abs(movie.duration - 2) < 0.001)
        let length = Double(packets.count) * 1024 / 48_000
        #expect(abs(try #require(summary.soundDuration) / .seconds(1) - length) < 0.001)
        let bytes = try file.read()
        #expect(summary.byteCount == bytes.count)
        #expect(try BoxList(bytes).types == ["ftyp", "mdat", "moov"])
        for (unit, packet) in zip(pictures, try #require(movie.byStream[0])) {
            let time = Double((unit.time - EncodedMedia.start).nanoseconds) / 1e9
            #expect(abs(time - (Double(packet.time) ?? -1)) < 0.0001 && packet.isKey == unit.isKey)
        }
        #expect(try files() == ["clip.mp4"])
    }

    @Test(
        "The times of a variable rate are kept, and the last picture lasts as long as the one before",
        ProbedMovie.isPossible)
    func variableRate() async throws {
        let pictures = try await EncodedMedia.pictures(5)
        let times = [0, 33.3, 183.3, 190, 1190]
        let summary = try await clip(zip(pictures, times).map { $0.at(milliseconds: $1) }).finish()
        let movie = try await ProbedMovie(file.path)
        for (packet, time) in zip(movie.packets, times) {
            #expect(abs((Double(packet.time) ?? -1) * 1000 - time) < 0.1)
        }
        #expect(abs(summary.duration / .milliseconds(1) - 2190) < 0.1 && summary.soundDuration == nil)
    }

    @Test("Sound that begins late, or has a gap, keeps its times", ProbedMovie.isPossible)
    func lateSound() async throws {
        let pictures = try await EncodedMedia.pictures(60)
        let packets = try await EncodedMedia.packets(20)
        let late = packets.enumerated().map { number, packet in
            packet.at(milliseconds: Double(number) * 1024 / 48 + (number < 10 ? 700 : 900))
        }
        let summary = try await clip(pictures, late).finish()
        let movie = try await ProbedMovie(file.path)
        let times = try #require(movie.byStream[1]).compactMap { Double($0.time) }
        #expect(abs(times[0] - 0.7) < 0.0001 && abs(times[10] - 1.1133) < 0.0001)
        #expect(abs(movie.starts[1] - 0.7) < 0.0001 && summary.frameCount == 60)
    }

    @Test("A clip whose sound never begins has pictures alone", ProbedMovie.isPossible)
    func noSound() async throws {
        let packet = try await EncodedMedia.packets(2)[0]
        let summary = try await clip(try await EncodedMedia.pictures(10), sound: packet).finish()
        #expect(summary.soundDuration == nil && summary.frameCount == 10)
        let movie = try await ProbedMovie(file.path)
        #expect(movie.errors.isEmpty && movie.count(0) == 10)
    }

    @Test("A clip of one picture can be played", ProbedMovie.isPossible)
    func onePicture() async throws {
        let summary = try await clip(try await EncodedMedia.pictures(1)).finish()
        let movie = try await ProbedMovie(file.path)
        #expect(summary.frameCount == 1 && movie.count(0) == 1 && movie.errors.isEmpty)
    }

    @Test("All pictures of a clip can be decoded", FFmpeg.isPossible)
    func decoding() async throws {
        _ = try await clip(try await EncodedMedia.pictures(40), try await EncodedMedia.packets(50)).finish()
        let outcome = try await StillTool.run("ffmpeg", ["-v", "error", "-i", file.path, "-f", "null", "-"])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }

    // MARK: While it is written

    @Test("Each unit but the last picture is in the file at once")
    func crash() async throws {
        let pictures = try await EncodedMedia.pictures(30)
        let clip = try await ClipWriter.create(file.path, video: try pictures[0].caps)
        for (count, picture) in pictures.enumerated() {
            try await clip.append(picture, of: .video)
            guard count > 0 else { continue }
            // A copy is the file of a writer that was killed.
            let copy = try ClipPath(try file.read())
            #expect(try ClipFile.finalize(copy.path).tracks.map(\.sampleCount) == [count])
        }
    }

    @Test("A clip that is cut off at any byte keeps all whole units")
    func cut() async throws {
        let clip = try await clip(try await EncodedMedia.pictures(6), try await EncodedMedia.packets(6))
        let bytes = try file.read()
        let boxes = try BoxList(bytes)
        let ends = zip(boxes.types, boxes.ranges).filter { $0.0 == "mdat" }.map(\.1.upperBound)
        let copy = try ClipPath(isInMemory: true)
        for count in stride(from: ends[0], through: bytes.count, by: 7) {
            try copy.write(Array(bytes[..<count]))
            let report = try ClipFile.finalize(copy.path)
            #expect(report.tracks.reduce(0) { $0 + $1.sampleCount } == ends.count { $0 <= count }, "\(count) bytes")
        }
        _ = try await clip.finish()
    }

    @Test("A clip can be played after a stop at any step of its end", ProbedMovie.isPossible)
    func stops() async throws {
        let clip = try await clip(try await EncodedMedia.pictures(20), try await EncodedMedia.packets(20))
        let bytes = try file.read()
        await clip.abandon()
        let (done, copy) = (try ClipPath(bytes), try ClipPath(bytes))
        let report = try ClipFile.finalize(done.path)
        let (expected, steps) = (try await ProbedMovie(done.path), try ClipFile.steps(for: copy.path))
        for stop in Stop.all(of: steps) {
            try copy.write(stop.applied(to: bytes, steps))
            #expect(try await ProbedMovie(copy.path).byStream == expected.byStream, "after \(stop)")
            #expect(try ClipFile.finalize(copy.path).tracks == report.tracks)
            #expect(try copy.read() == done.read(), "after \(stop)")
        }
    }

    @Test("A file that is being written is not finalized")
    func lock() async throws {
        let clip = try await clip(try await EncodedMedia.pictures(10))
        let bytes = try file.read()
        let error = #expect(throws: CaptureError.self) { try ClipFile.finalize(file.path) }
        #expect(error?.code == .temporary && error?.subject == file.path)
        #expect(try file.read() == bytes)
        #expect(try await clip.finish().frameCount == 10)
        #expect(try ClipFile.finalize(file.path).wasOrdinary)
    }

    @Test("The file of a writer that was released without an end can be finalized")
    func release() async throws {
        do { _ = try await clip(try await EncodedMedia.pictures(10)) }
        // The actor is released on its executor.
        let path = file.path
        let report = try await awaiting("the release of the lock") {
            while true {
                do throws(CaptureError) {
                    return try ClipFile.finalize(path)
                } catch {
                    guard error.code == .temporary else { throw error }
                    await Task.yield()
                }
            }
        }
        #expect(report.tracks.map(\.sampleCount) == [9] && !report.wasClosed)
    }

    @Test("The file is made durable once a second")
    func durability() async throws {
        let pictures = try await EncodedMedia.pictures(31)
        let reading = TestClock()
        let clip = try await ClipWriter.create(file.path, video: try pictures[0].caps) { reading.time }
        for picture in pictures {
            try await clip.append(picture, of: .video)
            reading.advance(by: .milliseconds(100))
        }
        #expect(await clip.syncCount == 3)
        #expect(try await clip.finish().frameCount == 31)
    }

    // MARK: Ends and errors

    @Test("An existing file is not replaced")
    func existing() async throws {
        try file.write([1])
        let caps = try await EncodedMedia.pictures(1)[0].caps
        let error = await #expect(throws: CaptureError.self) { try await ClipWriter.create(file.path, video: caps) }
        #expect(error?.systemError == EEXIST && error?.subject == file.path)
        #expect(try file.read() == [1])
    }

    @Test("A folder that does not exist is an error with its reason")
    func missingFolder() async throws {
        let caps = try await EncodedMedia.pictures(1)[0].caps
        let path = file.path + "/clip.mp4"
        let error = await #expect(throws: CaptureError.self) { try await ClipWriter.create(path, video: caps) }
        #expect(error?.systemError == ENOENT && error?.code == .cannotCreate)
    }

    @Test("A clip must begin with a key frame, and takes one later")
    func firstPicture() async throws {
        let pictures = try await EncodedMedia.pictures(32)
        let clip = try await ClipWriter.create(file.path, video: try pictures[0].caps)
        let error = await #expect(throws: CaptureError.self) { try await clip.append(pictures[1], of: .video) }
        #expect(error?.code == .software && error?.subject == file.path)
        for picture in pictures[30...] { try await clip.append(picture, of: .video) }
        #expect(try await clip.finish().frameCount == 2)
    }

    @Test("Units of another format are refused, and the clip can be finished")
    func changedFormat() async throws {
        let pictures = try await EncodedMedia.pictures(3)
        let other = try await EncodedMedia.pictures(1, width: 96)[0]
        let (stereo, mono) = (
            try await EncodedMedia.packets(3)[0], try await EncodedMedia.packets(3, channels: 1)[0]
        )
        let clip = try await clip(pictures, sound: stereo)
        #expect(clip.takes(pictures[0], of: .video) && !clip.takes(other, of: .video))
        #expect(clip.takes(stereo, of: .audio) && !clip.takes(mono, of: .audio) && !clip.takes(stereo, of: .video))
        for (unit, track) in [(other, .video), (mono, .audio)] as [(EncodedUnit, FragmentWriter.Track)] {
            let error = await #expect(throws: CaptureError.self) { try await clip.append(unit, of: track) }
            #expect(error == .changedFormat(file.path))
        }
        #expect(try await clip.finish().frameCount == 3)
    }

    @Test("A clip without pictures leaves no file")
    func empty() async throws {
        let caps = try await EncodedMedia.pictures(1)[0].caps
        let clip = try await ClipWriter.create(file.path, video: caps)
        let error = await #expect(throws: CaptureError.self) { try await clip.finish() }
        #expect(error?.subject == file.path)
        #expect(try files().isEmpty)
    }

    @Test("A clip ends before the size that files have at most, as on FAT")
    func largest() async {
        await #expect(processExitsWith: .success) {
            let file = try ClipPath()
            let pictures = try await EncodedMedia.pictures(60, width: 1280)
            let most = rlim_t(3_000_000)
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let clip = try await ClipWriter.create(file.path, video: try pictures[0].caps)
            var (number, failure): (Int, CaptureError?) = (0, nil)
            while failure == nil {
                let picture = pictures[number % 60].at(milliseconds: Double(number) * 33)
                do throws(CaptureError) {
                    try await clip.append(picture, of: .video)
                    number += 1
                } catch {
                    failure = error
                }
            }
            try #require(failure?.systemError == EFBIG && failure?.subject == file.path)
            let summary = try await clip.finish()
            try #require(summary.frameCount == number + 1 && summary.byteCount < 3_000_000)
            try #require(try ClipFile.finalize(file.path).wasOrdinary)
        }
    }

    @Test("An abandoned clip leaves no file, and takes no units")
    func abandoned() async throws {
        let pictures = try await EncodedMedia.pictures(3)
        let clip = try await clip(pictures)
        await clip.abandon()
        #expect(try files().isEmpty)
        await #expect(throws: CaptureError.self) { try await clip.append(pictures[0], of: .video) }
        await #expect(throws: CaptureError.self) { try await clip.finish() }
        await clip.abandon()
    }

    @Test("Another file at the path is not removed")
    func replaced() async throws {
        let clip = try await clip(try await EncodedMedia.pictures(3))
        try FileManager.default.removeItem(atPath: file.path)
        try file.write([1, 2])
        await clip.abandon()
        #expect(try file.read() == [1, 2])
    }
}

/// A clock that a test advances.
private final class TestClock: Sendable {
    private let now = Mutex(ClockTime(nanoseconds: 1_000_000_000))

    var time: ClockTime { now.withLock { $0 } }

    func advance(by span: Duration) { now.withLock { $0 = $0 + span } }
}
