// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import StillKit

/// Encoders of GStreamer stand in for a driver, which no machine of the tests has.
@Suite(.timeLimit(.minutes(5))) struct `A JPEG encoder in hardware` {
    /// A choice, and the facts that lead to it.
    struct Case: Sendable, CustomTestStringConvertible {
        let rank: Int?
        let verdict: HardwareJPEG.Verdict?
        var isExact = true
        let choice: HardwareJPEG.Choice
        var testDescription: String { "\(choice)" }
    }

    @Test(
        arguments: [
            Case(rank: nil, verdict: nil, choice: .library("the machine has no v4l2jpegenc")),
            Case(rank: 0, verdict: .exact, choice: .library("GST_PLUGIN_FEATURE_RANK switches v4l2jpegenc off")),
            Case(rank: 257, verdict: nil, choice: .trial),
            Case(rank: 257, verdict: .exact, choice: .hardware),
            Case(
                rank: 257, verdict: .inexact, choice: .library("v4l2jpegenc changes the quality or the chroma")),
            Case(rank: 257, verdict: .inexact, isExact: false, choice: .hardware),
            Case(rank: 257, verdict: .failed("timeout"), choice: .library("v4l2jpegenc failed: timeout")),
        ])
    func `is chosen if it exists, is not switched off, and has passed its trial`(_ one: Case) {
        let choice = HardwareJPEG.choice(
            of: "v4l2jpegenc", rank: one.rank, verdict: one.verdict, isExact: one.isExact)
        #expect(choice == one.choice)
    }

    private static func frame(_ format: String = "NV12", _ colors: String = "1:4:0:0") async throws -> Sample {
        try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=smpte75 ! video/x-raw,format=RGB,width=160,height=96 "
                + "! videoconvert ! video/x-raw,format=\(format),colorimetry=\(colors)")
    }

    /// Encodes frames with one encoder, and returns the pictures and the notices.
    private static func pictures(
        _ count: Int, of frame: Sample, by hardware: HardwareJPEG, isExact: Bool = true
    ) async throws -> (files: [[UInt8]], notices: [Notice]) {
        let encoder = StillEncoder(
            format: .jpeg, quality: 85, orientation: .upright, hardware: hardware, isExact: isExact)
        defer { encoder.close() }
        var files: [[UInt8]] = []
        for _ in 0..<count { files.append(try await encoder.encode(frame).bytes) }
        return (files, encoder.drainNotices())
    }

    private static func byLibrary(_ frame: Sample) async throws -> [UInt8] {
        let encoder = StillEncoder(format: .jpeg, quality: 85, orientation: .upright)
        defer { encoder.close() }
        return try await encoder.encode(frame).bytes
    }

    /// The quality is one more than requested, which a trial accepts, so that tests can tell who encoded a picture.
    private static func hardware(_ elements: String, limit: Duration = .seconds(60)) -> HardwareJPEG {
        HardwareJPEG("jpegenc", limit: limit) { elements.replacing("QUALITY", with: "\($0 + 1)") }
    }

    // The queue returns before the encoder has its picture, as drivers do.
    @Test(arguments: ["NV12", "I420", "GRAY8", "Y42B", "YUY2"], ["1:4:0:0", "bt601"])
    func `encodes frames of a format that it has shown to encode`(format: String, colors: String) async throws {
        let frame = try await Self.frame(format, colors)
        let hardware = Self.hardware("queue ! jpegenc quality=QUALITY")
        let (files, notices) = try await Self.pictures(3, of: frame, by: hardware)
        #expect(notices == [])
        let library = try await Self.byLibrary(frame)
        #expect(files.allSatisfy { $0 != library })
    }

    @Test func `encodes without the requested quality only where that does not matter`() async throws {
        let frame = try await Self.frame()
        let hardware = Self.hardware("jpegenc quality=20")
        let (live, _) = try await Self.pictures(1, of: frame, by: hardware, isExact: false)
        let (still, notices) = try await Self.pictures(1, of: frame, by: hardware)
        let library = try await Self.byLibrary(frame)
        #expect(live[0].count < library.count && still[0] == library)
        #expect(notices == [])
    }

    @Test func `encodes with less chroma only where that does not matter`() async throws {
        let frame = try await Self.frame("YUY2")
        let hardware = Self.hardware("videoconvert ! video/x-raw,format=I420 ! jpegenc quality=QUALITY")
        let (live, _) = try await Self.pictures(1, of: frame, by: hardware, isExact: false)
        let (still, _) = try await Self.pictures(1, of: frame, by: hardware)
        #expect(try JPEGPicture(live[0]).coding.sampling == [0x22, 0x11, 0x11])
        #expect(try JPEGPicture(still[0]).coding.sampling == [0x21, 0x11, 0x11])
    }

    @Test(
        arguments: [
            "identity error-after=1 ! jpegenc", "identity error-after=3 ! jpegenc",
            "videobalance brightness=0.3 ! jpegenc", "video/x-raw,format=RGB ! jpegenc", "missing",
            "jpegenc ! identity drop-probability=1", "videoscale ! video/x-raw,width=80 ! jpegenc", "identity",
        ])
    func `that fails its trial is replaced by libjpeg-turbo, with one notice`(elements: String) async throws {
        let frame = try await Self.frame()
        let hardware = Self.hardware(elements, limit: .milliseconds(500))
        let (files, notices) = try await Self.pictures(2, of: frame, by: hardware)
        let library = try await Self.byLibrary(frame)
        #expect(files == [library, library])
        #expect(notices.map(\.code) == [.encoderReplaced])
        #expect(notices[0].description.hasPrefix("jpegenc fails with NV12 frames of 160x96, which libjpeg-turbo"))
        // Other encoders of the process know it.
        #expect(try await Self.pictures(1, of: frame, by: hardware).notices == [])
    }

    @Test(arguments: [
        "identity error-after=6 ! jpegenc quality=QUALITY", "jpegenc quality=QUALITY ! identity eos-after=6",
    ])
    func `that fails later loses no picture`(elements: String) async throws {
        let frame = try await Self.frame()
        let (files, notices) = try await Self.pictures(5, of: frame, by: Self.hardware(elements))
        let library = try await Self.byLibrary(frame)
        #expect(files.count == 5 && files[4] == library && files[0] != library)
        #expect(notices.map(\.code) == [.encoderReplaced])
    }

    @Test func `that hangs is stopped at its time limit`() async throws {
        let frame = try await Self.frame()
        let hardware = Self.hardware("queue ! jpegenc ! valve drop=true", limit: .milliseconds(1))
        let (files, notices) = try await Self.pictures(1, of: frame, by: hardware)
        #expect(try await files == [Self.byLibrary(frame)])
        #expect(notices.map(\.code) == [.encoderReplaced])
    }

    @Test func `is reported with its choice`() async throws {
        let caps = try #require(try await Self.frame().caps)
        let working = Self.hardware("jpegenc quality=QUALITY")
        #expect(await working.choice(for: caps, quality: 85, isExact: true) == .hardware)
        let broken = Self.hardware("identity error-after=1 ! jpegenc")
        guard case .library(let reason) = await broken.choice(for: caps, quality: 85, isExact: false) else {
            Issue.record("a broken encoder is chosen")
            return
        }
        #expect(reason.hasPrefix("jpegenc failed: "))
        let absent = HardwareJPEG("v4l2jpegenc-of-no-machine") { _ in "" }
        #expect(
            await absent.choice(for: caps, quality: 85, isExact: true)
                == .library("the machine has no v4l2jpegenc-of-no-machine"))
    }
}
