// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureTestSupport
import FrameMeasures
import StillKit
import Testing

@testable import CaptureKit
@testable import PipelineKit

extension LiveFrames {
    @Suite("Choosing the sharpest frame around a moment", .timeLimit(.minutes(5))) struct BestFrameTests {
        private static let duration = Duration.milliseconds(40)

        /// A session at 25 frames/s that repeats two blurred frames and a sharp one, as JPEG or I420. The frames have
        /// no timestamps: the time of each is that of its arrival, also on a machine that is too slow for the rate.
        private func session(isRaw: Bool = false) async throws -> (CameraSession, TemporaryFolder) {
            let folder = try TemporaryFolder()
            for index in 0..<3 {
                let blur = index == 2 ? "identity" : "gaussianblur sigma=3 ! videoconvert"
                let maker = try Pipeline(
                    "videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=AYUV,width=320,height=240 ! \(blur)"
                        + " ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=95"
                        + (isRaw ? " ! jpegdec ! video/x-raw,format=I420" : "")
                        + " ! filesink location=\(folder.path)/\(index)")
                let messages = maker.bus.messages()
                try await maker.play()
                for await message in messages {
                    if case .endOfStream = message.content { break }
                    if case .error(let error) = message.content { throw error }
                }
                try await maker.stop()
            }
            let caps = isRaw ? "video/x-raw,format=I420,width=320,height=240" : "image/jpeg"
            let source =
                "multifilesrc location=\(folder.path)/%d start-index=0 stop-index=2 loop=true"
                + " caps=\(caps),framerate=25/1 ! identity sleep-time=40000"
            let configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
            return (try await .playing(configuration), folder)
        }

        @Test("The sharpest raw or JPEG frame is chosen, with its offset from the moment", arguments: [true, false])
        func sharpest(isRaw: Bool) async throws {
            let (session, folder) = try await session(isRaw: isRaw)
            defer { withExtendedLifetime(folder) {} }
            let feed = FrameFeed(session)
            var sharp = 0
            // On a busy machine, searches may miss the sharp frame. The test ends when two of them have found it.
            while sharp < 2 {
                let moment = PipelineClock.system.now + FrameFeed.lead(of: 9, frameDuration: Self.duration)
                let found = try #require(await feed.best(of: 9, around: moment, frameDuration: Self.duration))
                #expect(found.choice.offset == found.frame.time - moment)
                let alone = await SharpnessMeter().sharpness(of: found.frame.sample)
                #expect(alone == found.choice.sharpness)
                #expect((found.frame.sample.caps?.videoInfo != nil) == isRaw)
                // Blurred frames have less than a hundredth of this sharpness.
                let isNear = abs(found.choice.offset.nanoseconds) <= Self.duration.nanoseconds * 9 / 2
                if found.choice.sharpness > 2000, isNear { sharp += 1 }
            }
            try await session.close()
        }

        /// A session of GStreamer's test pattern, with timestamps.
        private static func testPattern() async throws -> CameraSession {
            let source = "videotestsrc is-live=true ! video/x-raw,format=I420,width=30,height=18,framerate=30/1"
            return try await .playing(CaptureConfiguration(source: .fragment(source), output: .caller))
        }

        @Test("Frames from before a moment are skipped, also one that was given back")
        func skipped() async throws {
            let session = try await Self.testPattern()
            let feed = FrameFeed(session)
            feed.giveBack(try #require(await feed.next()))
            let moment = PipelineClock.system.now + .milliseconds(100)
            feed.skip(until: moment)
            #expect(try #require(await feed.next()).arrival >= moment)
            try await session.close()
        }

        @Test("A frame that is given back is returned next")
        func givenBack() async throws {
            let session = try await Self.testPattern()
            let feed = FrameFeed(session)
            let frame = try #require(await feed.next())
            feed.giveBack(frame)
            let again = try #require(await feed.next())
            #expect(again.sample.buffer == frame.sample.buffer && again.sample.caps == frame.sample.caps)
            #expect(again.time == frame.time)
            let next = try #require(await feed.next())
            #expect(next.time > again.time)
            try await session.close()
        }

        @Test("A frame without a timestamp has the time of its arrival, whenever a task takes it")
        func withoutTimestamp() async throws {
            let source = "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=16,height=16"
            let session = try await CameraSession.playing(
                CaptureConfiguration(source: .fragment(source), output: .caller))
            _ = try #require(try await session.branch().nextSample())
            let info = try VideoInfo(format: "GRAY8", width: 16, height: 16)
            let sample = Sample(try Buffer([UInt8](repeating: 0, count: 16 * 16)), caps: info.caps)
            let frame = session.frame(of: sample)
            #expect(frame.time == frame.arrival)
            #expect(session.frame(of: sample).time == frame.time)
            try await session.close()
        }

        /// A buffer of 16 x 16 bytes from a pool that has no other.
        private static func scarceBuffer() throws -> Buffer {
            let pool = try #require(gst_buffer_pool_new())
            defer { gst_object_unref(pool) }
            let configuration = gst_buffer_pool_get_config(pool)
            gst_buffer_pool_config_set_params(configuration, nil, 16 * 16, 1, 1)
            gst_buffer_pool_set_config(pool, configuration)
            gst_buffer_pool_set_active(pool, 1)
            var pointer: UnsafeMutablePointer<GstBuffer>?
            gst_buffer_pool_acquire_buffer(pool, &pointer, nil)
            return Buffer(try #require(pointer), .full)
        }

        @Test("A frame to keep for long is a copy if the camera waits for the buffer")
        func keptFrame() throws {
            let info = try VideoInfo(format: "GRAY8", width: 16, height: 16)
            let frame = Frame(sample: Sample(try Self.scarceBuffer(), caps: info.caps), time: .zero)
            let kept = frame.keepable()
            let (first, second) = (try #require(frame.sample.buffer), try #require(kept.sample.buffer))
            #expect(first != second)
            #expect(try first.bytes() == second.bytes())
            #expect(try second.withVideoFrame(info) { $0.info.width } == 16)
            #expect(kept.keepable().sample.buffer == second)
        }

        @Test("The best of one frame is the nearest, unmeasured; after the window, the best is the next frame")
        func one() async throws {
            let (session, folder) = try await session()
            defer { withExtendedLifetime(folder) {} }
            let feed = FrameFeed(session)
            let first = try #require(await feed.next())
            let moment = first.time + .milliseconds(300)
            let nearest = try #require(await feed.best(of: 1, around: moment))
            #expect(nearest.choice.sharpness == 0 && nearest.choice.offset == nearest.frame.time - moment)
            let late = try #require(await feed.best(of: 5, around: first.time, frameDuration: Self.duration))
            #expect(late.frame.time > first.time && late.choice.offset == late.frame.time - first.time)
            try await session.close()
        }

        @Test("When the stream ends, the best frame so far is chosen, or nil if there is none")
        func end() async throws {
            let source = "videotestsrc num-buffers=3 pattern=snow ! video/x-raw,format=GRAY8,framerate=25/1"
            let configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
            let session = try await CameraSession.playing(configuration)
            let feed = FrameFeed(session)
            #expect(await feed.best(of: 5, around: PipelineClock.system.now + .seconds(3600)) != nil)
            #expect(await feed.best(of: 5, around: PipelineClock.system.now) == nil)
            try await session.close()
        }

        @Test("A window classifies frames as early, inside, last or late")
        func window() {
            let moment = ClockTime.zero + .seconds(10)
            let window = BestWindow(of: 5, around: moment, frameDuration: Self.duration)
            func places(_ milliseconds: [Int]) -> [BestWindow.Place] {
                milliseconds.map { window.place(of: moment + .milliseconds($0), at: moment) }
            }
            #expect(window.reach == .milliseconds(100))
            #expect(
                places([-150, -101, -100, 0, 60, 61, 100, 101]) == [
                    .early, .early, .inside, .inside, .inside, .last, .last, .late,
                ])
            let muchLater = moment + FramePicker.patience
            #expect(window.place(of: moment - .seconds(5), at: muchLater) == .last)
            #expect(FrameFeed.lead(of: 5, frameDuration: Self.duration) == .milliseconds(140))
            #expect(FrameFeed.lead(of: 1, frameDuration: Self.duration) == .zero)
        }
    }
}

extension CameraSession {
    /// Opens the camera of a configuration.
    static func playing(_ configuration: CaptureConfiguration) async throws -> CameraSession {
        let session = try CameraSession(SourceDescription(configuration), subject: "camera")
        try await session.play()
        return session
    }
}
