// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing
import VideoKit

@Suite("A recording", .timeLimit(.minutes(10)), Recording.isPossible)
struct ClipFileTests {
    // MARK: Whole recordings

    @Test(
        "A whole recording becomes an ordinary movie with the same samples", ProbedMovie.isPossible,
        arguments: Recording.allCases)
    func whole(_ recording: Recording) async throws {
        let bytes = try await recording.bytes()
        let file = try ClipPath(bytes)
        let fragments = try await ProbedMovie(file.path)
        let report = try ClipFile.finalize(file.path)
        let movie = try await ProbedMovie(file.path)
        #expect(movie.byStream == fragments.byStream && movie.errors.isEmpty)
        #expect(movie.count(0) == 90)
        #expect(report.tracks.map(\.sampleCount) == (0...recording.soundTracks).map { movie.count($0) })
        #expect(report.wasClosed && !report.isCutOff && !report.wasOrdinary)
        #expect(abs(report.duration / .seconds(1) - movie.duration) < 0.001)
        let result = try file.read()
        #expect(try BoxList(result).types == ["ftyp", "mdat", "moov"])
        // Only 16 bytes of the old content differ.
        let header = try BoxList(bytes).first("moov").lowerBound
        #expect(result[..<header] == bytes[..<header])
        #expect(result[(header + 16)..<bytes.count] == bytes[(header + 16)...])
    }

    @Test("All frames of a finalized recording can be decoded", FFmpeg.isPossible)
    func decoding() async throws {
        let file = try ClipPath(try await Recording.opus.bytes())
        _ = try ClipFile.finalize(file.path)
        // Seeking needs the table of key frames.
        for start in ["0", "2.2"] {
            let outcome = try await StillTool.run(
                "ffmpeg", ["-v", "error", "-ss", start, "-i", file.path, "-f", "null", "-"])
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
    }

    @Test("Finalizing twice changes nothing", arguments: Recording.allCases)
    func twice(_ recording: Recording) async throws {
        let file = try ClipPath(try await recording.bytes())
        let first = try ClipFile.finalize(file.path)
        let bytes = try file.read()
        let second = try ClipFile.finalize(file.path)
        #expect(try file.read() == bytes)
        #expect(second.wasOrdinary && second.tracks == first.tracks && second.duration == first.duration)
    }

    @Test("An ordinary movie stays as it is", arguments: ["", "faststart=true"])
    func ordinary(muxer: String) async throws {
        let bytes = try await Recording.aac.bytes(frames: 30, muxer: muxer)
        let file = try ClipPath(bytes)
        let report = try ClipFile.finalize(file.path)
        #expect(report.wasOrdinary && report.tracks.map(\.codec) == ["avc1", "mp4a"])
        #expect(report.tracks.first?.sampleCount == 30 && report.tracks.first?.duration == .seconds(1))
        #expect(try file.read() == bytes)
    }

    @Test("A recording that ends with a whole fragment is not cut off", arguments: Recording.allCases)
    func notClosed(_ recording: Recording) async throws {
        let bytes = try await recording.bytes()
        let file = try ClipPath(Array(bytes[..<(try BoxList(bytes).first("mfra").lowerBound)]))
        let report = try ClipFile.finalize(file.path)
        #expect(!report.wasClosed && !report.isCutOff && report.tracks.first?.sampleCount == 90)
    }

    @Test("GStreamer plays fragments with the index behind them, and the movie", arguments: Recording.allCases)
    func demuxing(_ recording: Recording) async throws {
        let bytes = try await recording.bytes()
        let file = try ClipPath(bytes)
        let steps = try ClipFile.steps(for: file.path)
        for count in 0...steps.count {
            var stopped = bytes
            for step in steps.prefix(count) { step.apply(to: &stopped) }
            try file.write(stopped)
            #expect(try await Recording.frameCount(of: file.path) == 90, "after \(count) steps")
        }
    }

    @Test("Sound that begins later is shown later", ProbedMovie.isPossible)
    func delay() async throws {
        let file = try ClipPath(try await Recording.opus.bytes())
        _ = try ClipFile.finalize(file.path, delays: [2: .milliseconds(300)])
        let movie = try await ProbedMovie(file.path)
        #expect(movie.starts.count == 2 && abs(movie.starts[0]) < 0.001 && abs(movie.starts[1] - 0.3) < 0.001)
    }

    @Test("Frames in another order than they are shown keep their times", ProbedMovie.isPossible, FFmpeg.isPossible)
    func reordered() async throws {
        let file = try ClipPath()
        try await FFmpeg.record(to: file.path)
        let fragments = try await ProbedMovie(file.path)
        _ = try ClipFile.finalize(file.path)
        let movie = try await ProbedMovie(file.path)
        #expect(movie.byStream == fragments.byStream)
        #expect(movie.count(0) == 60)
        // The frames are not in the order in which they are shown.
        let times = movie.packets.filter { $0.stream == 0 }.compactMap { Double($0.time) }
        #expect(times != times.sorted())
    }

    @Test("A recording beyond 4 GiB has 64-bit offsets", ProbedMovie.isPossible)
    func large() async throws {
        let bytes = try await Recording.aac.bytes(frames: 30)
        let boxes = try BoxList(bytes)
        let place = try boxes.first("moof").lowerBound
        // A box of 5 GiB that is a hole of the file.
        let size = 5 << 30
        var header: [UInt8] = [0, 0, 0, 1]
        header += Array("free".utf8)
        header += withUnsafeBytes(of: UInt64(size).bigEndian) { Array($0) }
        let file = try ClipPath(Array(bytes[..<place]) + header)
        let handle = try #require(FileHandle(forWritingAtPath: file.path))
        try handle.seek(toOffset: UInt64(place + size))
        try handle.write(contentsOf: bytes[place...])
        try handle.close()
        let report = try ClipFile.finalize(file.path)
        let movie = try await ProbedMovie(file.path)
        #expect(movie.count(0) == 30 && movie.errors.isEmpty)
        #expect(report.tracks.map(\.sampleCount) == [movie.count(0), movie.count(1)])
    }

    // MARK: Stops

    @Test(
        "A recording plays after a stop at any write, and a second run completes it", ProbedMovie.isPossible,
        arguments: Recording.allCases, [false, true])
    func stops(_ recording: Recording, isCut: Bool) async throws {
        let whole = try await recording.bytes()
        // In the middle of the last but one `mdat`.
        let boxes = try BoxList(whole)
        let last = Array(boxes.ranges.indices.filter { boxes.types[$0] == "mdat" }.suffix(2))
        let cut = (boxes.ranges[last[0]].lowerBound + boxes.ranges[last[0]].upperBound) / 2
        let bytes = isCut ? Array(whole[..<cut]) : whole
        let (done, file) = (try ClipPath(bytes), try ClipPath(bytes))
        let report = try ClipFile.finalize(done.path)
        #expect(report.isCutOff == isCut && report.wasClosed == !isCut)
        let (expected, steps) = (try await ProbedMovie(done.path), try ClipFile.steps(for: file.path))
        #expect(steps.count == (isCut ? 3 : 2))
        for stop in Stop.all(of: steps) {
            try file.write(stop.applied(to: bytes, steps))
            let stopped = try await ProbedMovie(file.path)
            // Before the mark, players may also show the whole samples of the fragment that is cut off.
            #expect(stopped.packets.count >= expected.packets.count, "after \(stop)")
            if stop.hasMark(isCut: isCut) { #expect(stopped.byStream == expected.byStream, "after \(stop)") }
            let second = try ClipFile.finalize(file.path)
            #expect(second.tracks == report.tracks && second.isCutOff == (isCut && !second.wasOrdinary))
            #expect(try file.read() == done.read(), "after \(stop)")
        }
    }

    @Test("A stop inside the index never changes the result", arguments: Recording.allCases)
    func partialIndex(_ recording: Recording) async throws {
        let bytes = try await recording.bytes(frames: 30)
        let (done, file) = (try ClipPath(bytes), try ClipPath(bytes, isInMemory: true))
        let report = try ClipFile.finalize(done.path)
        let (result, steps) = (try done.read(), try ClipFile.steps(for: file.path))
        let index = try #require(steps.first?.bytes)
        for count in 0...index.count {
            try file.write(bytes + index[..<count])
            #expect(try ClipFile.finalize(file.path).tracks == report.tracks)
            // A part of a header may be the start of a fragment: a mark hides it.
            if count == 0 || count >= 8 { #expect(try file.read() == result, "after \(count) bytes") }
        }
    }

    @Test("Blocks of the index that a power cut lost do not matter", arguments: 0..<20)
    func lostBlocks(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        let bytes = try await Recording.aac.bytes(frames: 60)
        let file = try ClipPath(bytes)
        let steps = try ClipFile.steps(for: file.path)
        var index = try #require(steps.first?.bytes)
        for start in stride(from: 0, to: index.count, by: 512) where Bool.random(using: &generator) {
            for place in start..<min(index.count, start + 512) { index[place] = 0 }
        }
        try file.write(bytes + index)
        let report = try ClipFile.finalize(file.path)
        #expect(report.tracks.first?.sampleCount == 60)
        #expect(try BoxList(file.read()).types == ["ftyp", "mdat", "moov"])
    }

    // MARK: Crashes

    @Test("A recording that was cut off at any byte becomes a movie, or is left alone", arguments: Recording.allCases)
    func cuts(_ recording: Recording) async throws {
        let bytes = try await recording.bytes(frames: 30)
        let file = try ClipPath(isInMemory: true)
        var last = 0
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            try file.write(cut)
            guard let report = try? ClipFile.finalize(file.path) else {
                #expect(try last == 0 && file.read() == cut, "cut at \(length)")
                continue
            }
            let count = report.tracks.reduce(0) { $0 + $1.sampleCount }
            #expect(count >= last, "cut at \(length)")
            last = count
            let again = try ClipFile.finalize(file.path)
            #expect(again.wasOrdinary && again.tracks == report.tracks, "cut at \(length)")
        }
        #expect(last >= 30)
    }

    @Test(
        "A recording that was cut off plays up to its last whole fragment", ProbedMovie.isPossible, arguments: 0..<12)
    func cutsPlay(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        let bytes = try await Recording.allCases[Int(seed) % 3].bytes()
        let boxes = try BoxList(bytes)
        let first = boxes.ranges[try #require(boxes.types.firstIndex(of: "mdat"))].upperBound
        let file = try ClipPath(Array(bytes[..<Int.random(in: first..<bytes.count, using: &generator)]))
        let report = try ClipFile.finalize(file.path)
        let movie = try await ProbedMovie(file.path)
        #expect(movie.errors.isEmpty && movie.packets.count == report.tracks.reduce(0) { $0 + $1.sampleCount })
    }

    @Test("Zeros at the end, as a power cut leaves them, are cut off", arguments: [1, 7, 8, 4096, 600_000])
    func zeros(count: Int) async throws {
        let bytes = try await Recording.silent.bytes(frames: 30)
        let end = try BoxList(bytes).first("mfra").lowerBound
        let file = try ClipPath(Array(bytes[..<end]) + [UInt8](repeating: 0, count: count))
        let report = try ClipFile.finalize(file.path)
        #expect(report.isCutOff && report.tracks.map(\.sampleCount) == [30])
        #expect(try ClipFile.finalize(file.path).wasOrdinary)
    }

    @Test("Blocks of the last fragment that a power cut lost cost that fragment alone", arguments: Recording.allCases)
    func lostFragment(_ recording: Recording) async throws {
        let bytes = try await recording.bytes(frames: 60)
        let boxes = try BoxList(bytes)
        let last = try #require(boxes.types.lastIndex(of: "moof"))
        let (fragment, end) = (boxes.ranges[last], boxes.ranges[last + 1].upperBound)
        let before = try ClipPath(Array(bytes[..<fragment.lowerBound]))
        let expected = try ClipFile.finalize(before.path).tracks
        let file = try ClipPath(isInMemory: true)
        for start in fragment.dropLast(12) {
            var lost = Array(bytes[..<end])
            for place in start..<fragment.upperBound { lost[place] = 0 }
            try file.write(lost)
            let report = try ClipFile.finalize(file.path)
            #expect(report.isCutOff && report.tracks == expected, "zeros from \(start - fragment.lowerBound) on")
        }
    }

    @Test("Lost blocks in the last seconds cost the fragments in which they are", arguments: 0..<200)
    func lostBlocksOfFragments(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        var bytes = try await Self.longRecording.value
        let count = bytes.count
        for start in stride(from: count * 3 / 4 / 512 * 512, to: count - 511, by: 512)
        where Int.random(in: 0..<8, using: &generator) == 0 {
            for place in start..<(start + 512) { bytes[place] = 0 }
        }
        let file = try ClipPath(bytes, isInMemory: true)
        let report = try ClipFile.finalize(file.path)
        // The first three quarters are whole.
        #expect(try #require(report.tracks.first).sampleCount >= 60)
        let again = try ClipFile.finalize(file.path)
        #expect(again.wasOrdinary && again.tracks == report.tracks)
    }

    private static let longRecording = Task { try await Recording.aac.bytes(frames: 120) }

    // MARK: Faults

    @Test("A disk without room for the index is reported before any change")
    func fullDisk() async throws {
        let bytes = try await Recording.aac.bytes(frames: 30)
        let file = try ClipPath(bytes)
        let error = #expect(throws: CaptureError.self) { try ClipFile.finalize(file.path) { _ in 1000 } }
        #expect(error?.systemError == ENOSPC && error?.subject == file.path && error?.advice != nil)
        #expect(try file.read() == bytes)
    }

    @Test("A recording that another process has locked is left alone")
    func locked() async throws {
        let bytes = try await Recording.silent.bytes(frames: 30)
        let file = try ClipPath(bytes)
        let handle = try #require(FileHandle(forReadingAtPath: file.path))
        try #require(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        let error = #expect(throws: CaptureError.self) { try ClipFile.finalize(file.path) }
        #expect(error?.code == .temporary && error?.subject == file.path)
        #expect(try file.read() == bytes)
    }

    @Test("A recording that grows is left alone")
    func growing() async throws {
        let bytes = try await Recording.silent.bytes(frames: 30)
        let file = try ClipPath(bytes)
        let error = #expect(throws: CaptureError.self) {
            // The check of free space is before the first write.
            try ClipFile.finalize(file.path) { _ in
                try? file.write(bytes + [0])
                return nil
            }
        }
        #expect(error?.code == .temporary && error?.subject == file.path)
        #expect(try file.read() == bytes + [0])
    }

    @Test("A recording that is damaged before its last fragment is left alone")
    func damagedMiddle() async throws {
        var bytes = try await Recording.silent.bytes()
        let boxes = try BoxList(bytes)
        let second = boxes.ranges.indices.filter { boxes.types[$0] == "moof" }[1]
        // The size of the second fragment now exceeds the file.
        bytes[boxes.ranges[second].lowerBound] = 0x7F
        try expectUnchanged(bytes)
    }

    @Test("A file without a fragment, or of another format, is left alone")
    func foreign() async throws {
        let bytes = try await Recording.silent.bytes(frames: 30)
        let boxes = try BoxList(bytes)
        try expectUnchanged(Array(bytes[..<(try boxes.first("moof").lowerBound)]))
        try expectUnchanged(Array(bytes[..<(try boxes.first("moov").upperBound - 1)]))
        try expectUnchanged(Array(bytes[(try boxes.first("moov").lowerBound)...]))
        try expectUnchanged(bytes + bytes)
        try expectUnchanged([])
        try expectUnchanged(Array("not a movie, but a text of some length".utf8))
        try expectUnchanged([UInt8](repeating: 0, count: 100_000))
        try expectUnchanged([0, 0, 0, 8] + Array("ftyp".utf8))
        // Without the box that announces fragments.
        try expectUnchanged(bytes.replacing(Array("mvex".utf8), with: Array("free".utf8)))
    }

    @Test("A path to no regular file is an error", arguments: ["/dev/null", "/", "/proc/no-such-file", "a\0b"])
    func noFile(path: String) {
        let error = #expect(throws: CaptureError.self) { try ClipFile.finalize(path) }
        #expect(error?.subject?.isEmpty == false)
    }

    private func expectUnchanged(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = try ClipPath(bytes)
        let error = #expect(throws: CaptureError.self, sourceLocation: sourceLocation) {
            try ClipFile.finalize(file.path)
        }
        #expect(error?.subject == file.path && error?.advice != nil, sourceLocation: sourceLocation)
        #expect(try file.read() == bytes, sourceLocation: sourceLocation)
    }
}
