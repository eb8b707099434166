// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Dispatch
import PipelineKit
import Synchronization
import Testing

@testable import VideoKit

@Suite("VideoEncoder", H264Encoder.isInstalled, .timeLimit(.minutes(10)))
struct VideoEncoderTests {
    private static let any = VideoEncoder.Description(H264Encoder.installed.first ?? .openH264)

    @Test(
        "Units have the capture times of their frames, at a variable frame rate",
        arguments: H264Encoder.installed,
        [
            "video/x-raw,format=I420,width=64,height=48,framerate=30/1",
            "video/x-raw,format=YUY2,width=320,height=180,framerate=0/1",
        ])
    func times(_ encoder: H264Encoder, _ caps: String) async throws {
        try await encoding(.init(encoder)) { camera, encoder in
            let reader = encoder.outlet.reader()
            for time in [3, 36, 70, 103, 240, 381, 520, 521, 1900, 1933, 60_000] {
                try camera.deliver(UInt8(time % 200), at: .milliseconds(time), caps)
                let unit = try await reader.unit()
                #expect(unit.time == camera.time(.milliseconds(time)))
                #expect(unit.sample.caps?.description.contains("stream-format=(string)avc") == true)
            }
            #expect(encoder.droppedCount == 0)
        }
    }

    @Test(
        "Frames that were kept become units with their times, and a damaged one has none",
        arguments: H264Encoder.installed)
    func kept(_ encoder: H264Encoder) async throws {
        let jpeg = "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48 ! jpegenc"
        let sample = try await Sample.made(by: jpeg)
        let damaged = Sample(try Buffer([0xFF, 0xD8, 0, 0], presentationTime: .zero), caps: try #require(sample.caps))
        // A pipeline takes no frame from before its start: these are from long before.
        let times = [0, 33, 67, 100, 400, 433].map { ClockTime(nanoseconds: 5_000_000_000 + UInt64($0) * 1_000_000) }
        let frames = times.enumerated().map { EncodedUnit($0 == 2 ? damaged : sample, time: $1, isKey: true) }
        let kept = try VideoEncoder(.init(encoder, steps: ["jpegdec"]), of: nil)
        try await kept.start()
        let units = try await kept.encode(frames)
        await kept.close()
        #expect(units.map(\.time) == times.enumerated().filter { $0.offset != 2 }.map(\.element))
        #expect(units.first?.isKey == true && kept.droppedCount == 0)
        let movie = try ClipPath(try ShortMovie.bytes(units))
        let report = try ClipFile.finalize(movie.path)
        #expect(report.wasOrdinary && report.tracks.map(\.sampleCount) == [5])
        #expect(report.duration == .milliseconds(466))
    }

    @Test("Key frames come each second by capture time, at any frame rate", arguments: H264Encoder.installed)
    func period(_ encoder: H264Encoder) async throws {
        for step in [20, 150] {
            try await encoding(.init(encoder)) { camera, encoder in
                let reader = encoder.outlet.reader()
                var keys: [Int] = []
                for time in stride(from: 0, to: 3500, by: step) {
                    try camera.deliver(100, at: .milliseconds(time))
                    if try await reader.unit().isKey { keys.append(time) }
                }
                #expect(keys == (step == 20 ? [0, 1000, 2000, 3000] : [0, 1050, 2100, 3150]))
            }
        }
    }

    @Test("Key frames come after a number of frames", arguments: H264Encoder.installed)
    func interval(_ encoder: H264Encoder) async throws {
        try await encoding(.init(encoder, EncoderSettings(keyInterval: 7))) { camera, encoder in
            let reader = encoder.outlet.reader()
            var keys: [Int] = []
            for frame in 0..<22 {
                try camera.deliver(100, at: .milliseconds(frame * 200))
                if try await reader.unit().isKey { keys.append(frame) }
            }
            #expect(keys == [0, 7, 14, 21])
        }
    }

    @Test("A second reader gets a key frame soon, and then the same units", arguments: H264Encoder.installed)
    func secondReader(_ encoder: H264Encoder) async throws {
        try await encoding(.init(encoder, EncoderSettings(keyInterval: 1000))) { camera, encoder in
            let first = encoder.outlet.reader()
            for frame in 0..<20 {
                try camera.deliver(100, at: .milliseconds(frame * 40))
                #expect(try await first.unit().isKey == (frame == 0))
            }
            let second = encoder.outlet.reader()
            for frame in 20..<25 {
                try camera.deliver(100, at: .milliseconds(frame * 40))
                let (unit, same) = (try await first.unit(), try await second.unit())
                #expect(unit.isKey == (frame == 20))
                #expect(unit.sample == same.sample && unit.time == same.time)
            }
            second.close()
            #expect(try await second.next() == nil)
            #expect(encoder.outlet.readerCount == 1)
        }
    }

    @Test("A slow reader loses units up to a key frame, and no other reader does")
    func slowReader() async throws {
        try await encoding(Self.any) { camera, encoder in
            let (fast, slow) = (encoder.outlet.reader(), encoder.outlet.reader(limit: 2000))
            for frame in 0..<200 {
                try camera.deliver(UInt8.random(in: 0...255), at: .milliseconds(frame * 40))
                _ = try await fast.unit()
            }
            #expect(fast.skippedCount == 0)
            #expect(slow.skippedCount > 0)
            await encoder.close()
            var (units, previous): (Int, ClockTime?) = (0, nil)
            while let unit = try await slow.next() {
                if let previous, unit.time - previous > .milliseconds(40) { #expect(unit.isKey) }
                if units == 0 { #expect(unit.isKey) }
                (units, previous) = (units + 1, unit.time)
            }
            #expect(units + slow.skippedCount == 200)
        }
    }

    @Test("A slow encoder gets frames at even distances, and the others are counted")
    func slowEncoder() async throws {
        let (permits, arrivals) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        // Holds each frame before the encoder until the test permits it.
        let hold = { (pipeline: Pipeline) throws(PipelineError) in
            _ = try pipeline.element(named: "hold").pad("src")?.probeBuffers { _ in
                arrivals.continuation.yield()
                permits.wait()
                return .pass
            }
        }
        var description = Self.any
        description.steps = ["identity name=hold"]
        try await encoding(description, hold) { camera, encoder in
            defer { for _ in 0..<100 { permits.signal() } }
            let reader = encoder.outlet.reader()
            var held = arrivals.stream.makeAsyncIterator()
            var passed = camera.outlet.passages().makeAsyncIterator()
            var times: [Int] = []
            for round in 0..<8 {
                for frame in (round * 3)..<(round * 3 + 3) {
                    try camera.deliver(100, at: .milliseconds(frame * 33))
                    if frame == 0 { await held.next() }
                    await passed.next()
                }
                permits.signal()
                let unit = try await reader.unit()
                times.append(Int((unit.time - camera.time(.zero)).nanoseconds / 33_000_000))
                await held.next()
            }
            #expect(times == [0, 2, 5, 8, 11, 14, 17, 20])
            #expect(encoder.droppedCount == 15)
        }
    }

    @Test("The steps decode and scale frames of a JPEG camera", arguments: H264Encoder.installed)
    func steps(_ encoder: H264Encoder) async throws {
        let camera = try TestCamera("jpegenc ! ")
        let steps = ["jpegdec", "videoscale", "video/x-raw,width=32,height=24"]
        let running = try VideoEncoder(.init(encoder, steps: steps), of: camera.outlet, moment: camera.moment)
        try await running.start()
        try await camera.start()
        let reader = running.outlet.reader()
        for frame in 0..<5 {
            try camera.deliver(100, at: .milliseconds(frame * 40))
            let unit = try await reader.unit()
            #expect(unit.time == camera.time(.milliseconds(frame * 40)))
            #expect(unit.sample.caps?.structures.first?["width"] == 32)
        }
        await running.close()
        await camera.stop()
    }

    @Test("Frames beyond the rate are left out, and not counted as dropped")
    func rate() async throws {
        var description = Self.any
        description.rate = 10
        try await encoding(description) { camera, encoder in
            let reader = encoder.outlet.reader()
            var passed = camera.outlet.passages().makeAsyncIterator()
            var times: [Int] = []
            for frame in 0..<30 {
                try camera.deliver(100, at: .milliseconds(frame * 33))
                await passed.next()
                guard frame % 3 == 0 else { continue }
                times.append(Int((try await reader.unit().time - camera.time(.zero)).nanoseconds / 33_000_000))
            }
            #expect(times == Array(stride(from: 0, to: 30, by: 3)))
            #expect(encoder.droppedCount == 0)
        }
    }

    @Test("An error of the pipeline reaches all readers after their units, and later readers", arguments: [1, 4])
    func brokenEncoder(_ good: Int) async throws {
        var description = Self.any
        description.steps = ["identity error-after=\(good + 1)"]
        try await encoding(description) { camera, encoder in
            let readers = [encoder.outlet.reader(), encoder.outlet.reader()]
            for frame in 0...good {
                try camera.deliver(100, at: .milliseconds(frame * 40))
                if frame < good { _ = try await readers[0].unit() }
            }
            await #expect(throws: PipelineError.self) { try await readers[0].next() }
            for _ in 0..<good { _ = try await readers[1].unit() }
            await #expect(throws: PipelineError.self) { try await readers[1].next() }
            await #expect(throws: PipelineError.self) { try await encoder.outlet.reader().next() }
            #expect(encoder.error?.code == .stream)
        }
    }

    @Test("A pipeline that cannot be built or started throws")
    func impossible() async throws {
        let camera = try TestCamera()
        let missing = VideoEncoder.Description(.openH264, steps: ["nosuchelement"])
        #expect(throws: PipelineError.self) { try VideoEncoder(missing, of: camera.outlet, moment: camera.moment) }
        let encoder = try VideoEncoder(Self.any, of: camera.outlet, moment: camera.moment)
        await encoder.close()
        await #expect(throws: PipelineError.self) { try await encoder.start() }
        #expect(try await encoder.outlet.reader().next() == nil)
    }

    @Test("A change of the camera's format continues with a key frame and new caps", arguments: H264Encoder.installed)
    func capsChange(_ encoder: H264Encoder) async throws {
        try await encoding(.init(encoder)) { camera, encoder in
            let reader = encoder.outlet.reader()
            for (round, width) in [64, 128, 64].enumerated() {
                for frame in 0..<5 {
                    let time = Duration.milliseconds((round * 5 + frame) * 40)
                    try camera.deliver(
                        100, at: time, "video/x-raw,format=I420,width=\(width),height=48,framerate=30/1")
                    let unit = try await reader.unit()
                    #expect(unit.time == camera.time(time))
                    #expect(unit.isKey == (frame == 0))
                    #expect(unit.sample.caps?.structures.first?["width"] == width)
                }
            }
        }
    }

    @Test("Full levels become video levels, unless the stream states them", arguments: H264Encoder.installed)
    func levels(_ encoder: H264Encoder) async throws {
        let caps = "video/x-raw,format=I420,width=64,height=48,framerate=30/1,colorimetry=(string)"
        for range in ["1:4:0:0", "bt601"] {
            try await encoding(.init(encoder)) { camera, running in
                let reader = running.outlet.reader()
                try camera.deliver(255, at: .zero, caps + range)
                let sample = try await reader.unit().sample
                let luma = try await DecodedLuma.first(of: sample)
                let isReduced = range != "bt601" && !encoder.statesLevels
                #expect(abs(luma - (isReduced ? 235 : 255)) <= 3)
                let colorimetry: String? = sample.caps?.structures.first?["colorimetry"]
                #expect(colorimetry?.hasPrefix("1:") == (range != "bt601" && encoder.statesLevels))
            }
        }
    }

    @Test("Levels are reduced to the limits of video, and gray stays gray")
    func kernel() {
        func reduced(_ kernel: VideoLevels.Kernel) -> [UInt8] {
            var bytes = Array(UInt8.min...UInt8.max)
            bytes.withUnsafeMutableBytes { VideoLevels.reduce($0, kernel) }
            return bytes
        }
        for (level, result) in reduced(.luma).enumerated() {
            let exact = 16 + Double(level) * 219 / 255
            #expect(abs(Double(result) - exact) < 0.75)
        }
        for (level, result) in reduced(.chroma).enumerated() {
            let exact = 128 + Double(level - 128) * 224 / 255
            #expect(abs(Double(result) - exact) < 1)
        }
        #expect(reduced(.chroma)[128] == 128)
    }

    @Test("The camera's own H.264 passes with its times")
    func cameraEncodes() async throws {
        let encoder = try #require(H264Encoder.installed.first)
        let element = encoder.elements(EncoderSettings(keyInterval: 5)).joined(separator: " ! ")
        let camera = try TestCamera(element + " ! ")
        let passing = try VideoEncoder(.init(.camera), of: camera.outlet, moment: camera.moment)
        try await passing.start()
        // The timestamps of encoders may be shifted: the segment is what counts.
        try await camera.start()
        let reader = passing.outlet.reader()
        for frame in 0..<12 {
            try camera.deliver(100, at: .milliseconds(frame * 40))
            #expect(try await reader.unit().isKey == (frame % 5 == 0))
        }
        await passing.close()
        await camera.stop()
    }

    @Test("An encoder is closed while frames flow, and its readers end")
    func teardown() async throws {
        for round in 0..<10 {
            let camera = try Pipeline("videotestsrc is-live=true ! \(TestCamera.caps) ! appsink name=out sync=false")
            let outlet = try FrameOutlet(named: "out", in: camera)
            try await camera.play()
            let encoder = try VideoEncoder(Self.any, of: outlet) { _ in .now }
            try await encoder.start()
            let reader = encoder.outlet.reader()
            for _ in 0..<round { _ = try await reader.unit() }
            let rest = Task { while try await reader.next() != nil {} }
            await encoder.close()
            try await rest.value
            outlet.close()
            try await camera.stop()
        }
    }

    @Test("A reader whose task is canceled gets nil, and a released one leaves the outlet")
    func canceledReader() async throws {
        let outlet = EncodedOutlet()
        let reader = outlet.reader()
        let waiting = Task { try await reader.next() == nil }
        waiting.cancel()
        #expect(try await waiting.value)
        do { _ = outlet.reader() }
        #expect(outlet.readerCount == 1)
        outlet.end()
        #expect(try await reader.next() == nil)
    }

    @Test("A closed encoder holds no frame, and is released", arguments: [true, false])
    func released(_ closes: Bool) async throws {
        let camera = try TestCamera()
        try await camera.start()
        weak var weakEncoder: VideoEncoder?
        var frames: [Buffer] = []
        let samples = Mutex<[WeakSample]>([])
        do {
            let encoder = try VideoEncoder(Self.any, of: camera.outlet) { sample in
                samples.withLock { $0.append(WeakSample(sample: sample)) }
                return .now
            }
            weakEncoder = encoder
            try await encoder.start()
            let reader = encoder.outlet.reader()
            for frame in 0..<5 {
                frames.append(try camera.deliver(100, at: .milliseconds(frame * 40)))
                _ = try await reader.unit()
            }
            if closes { await encoder.close() }
        }
        #expect(weakEncoder == nil)
        await camera.stop()
        #expect(samples.withLock { $0.count } == 5)
        guard closes else { return }
        #expect(samples.withLock { $0.allSatisfy { $0.sample == nil } })
        #expect(frames.map(\.holderCount) == [1, 1, 1, 1, 1])
    }

    private struct WeakSample: Sendable {
        weak let sample: Sample?
    }
}

extension FrameOutlet {
    /// Returns a stream with an element for each frame from now on that has passed all bridges which exist already.
    fileprivate func passages() -> AsyncStream<Void> {
        let (passages, continuation) = AsyncStream<Void>.makeStream()
        // The newest bridge gets each frame last.
        let bridge = bridge { _ in continuation.yield() }
        continuation.onTermination = { _ in bridge.close() }
        return passages
    }
}
