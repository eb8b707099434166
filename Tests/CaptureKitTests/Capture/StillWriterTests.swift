// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

@testable import CaptureKit
@testable import PipelineKit
@testable import ScheduleKit

@Suite("Writing stills to files", .timeLimit(.minutes(5)))
struct StillWriterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A JPEG's size is read from its bytes, not from the source's caps", arguments: ["", ",width=640,height=480"])
    func sizeOfJPEG(fields: String) async throws {
        let camera = try await JPEGFile.made()
        let sample = Sample(
            try Buffer(camera.bytes, presentationTime: .zero), caps: try Caps("image/jpeg\(fields),framerate=0/1"))
        let still = try await write(sample) { $0.output = .caller }
        #expect(still.width == 48 && still.height == 32)
        #expect(still.path == nil && still.byteCount == still.bytes?.count)
    }

    @Test(
        "A JPEG is turned by its tag, other formats by their pixels; the tags state the size of the pixels",
        .enabled(if: StillTool.has("exiftool"), StillTool.advice), arguments: [StillFormat.jpeg, .png, .webp])
    func turning(format: StillFormat) async throws {
        let sample = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32 ! jpegenc")
        let still = try await write(sample) {
            $0.output = .caller
            $0.still = format
            $0.orientation = .turnedLeft
        }
        let tags = try await StillTool.tags(of: #require(still.bytes), "a." + format.fileExtension)
        let (width, height) = format == .jpeg ? (48, 32) : (32, 48)
        #expect(still.width == 32 && still.height == 48)
        #expect(tags["ExifImageWidth"] == "\(width)" && tags["ExifImageHeight"] == "\(height)")
        #expect(tags["ImageWidth"] == "\(width)" && tags["ImageHeight"] == "\(height)")
        #expect(tags["Orientation"] == (format == .jpeg ? "8" : "1"))
        #expect(tags["Warning"] == nil)
    }

    @Test("The description beside a raw still locates its pixels, with or without padding", arguments: [0, 20])
    func rawLayout(padding: Int) async throws {
        let (width, height) = (5, 3)
        let info = try VideoInfo(format: "NV12", width: width, height: height)
        let strides = try (0..<2).map { try #require(info.plane($0)).stride + padding }
        let offsets = try padding == 0 ? (0..<2).map { try #require(info.plane($0)).offset } : [0, strides[0] * 4]
        let bytes = (0..<200).map { UInt8($0) }
        let buffer = try Buffer(bytes, presentationTime: .zero)
        if padding > 0 {
            var (gstOffsets, gstStrides) = (offsets.map { gsize($0) } + [0, 0], strides.map { gint($0) } + [0, 0])
            gst_buffer_add_video_meta_full(
                buffer.pointer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, guint(width), guint(height), 2,
                &gstOffsets, &gstStrides)
        }
        let path = folder.path + "/a.raw"
        let still = try await write(Sample(buffer, caps: info.caps)) {
            $0.output = .files(try FileNameTemplate(parsing: path))
            $0.still = .raw
        }
        #expect(still.path == path)
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        let text = try #require(FileManager.default.contents(atPath: path + ".json"))
        let fields = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        let planes = try #require(fields["planes"] as? [[String: Int]])
        #expect(planes.map { $0["offset"] } == offsets)
        #expect(planes.map { $0["stride"] } == strides)
        #expect(planes.map { $0["rows"] } == [3, 2])
        #expect(fields["format"] as? String == "NV12")
        #expect(fields["width"] as? Int == width && fields["height"] as? Int == height)
        #expect(try Caps(#require(fields["caps"] as? String)) == info.caps)
    }

    @Test("A raw still that cannot be stored leaves no description behind")
    func rawFailure() async throws {
        try folder.write("a.raw", "text")
        let template = try FileNameTemplate(parsing: folder.path + "/a.raw")
        let sample = try RGBPicture.distinct(5, 3).sample()
        await #expect(throws: CaptureError.self) {
            try await write(sample) {
                $0.output = .files(template)
                $0.still = .raw
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.raw"])
    }

    @Test("A file that a killed process left while it replaced a picture is removed at the next start")
    func leftoverOfReplacing() async throws {
        let (dead, live) = (".gst-capture-0000000000000001.tmp", ".gst-capture-0000000000000002.tmp")
        for name in ["day/\(dead)", "day/\(live)", "day/a.jpg"] { try folder.write(name, "text") }
        let writing = open("\(folder.path)/day/\(live)", O_RDWR | O_CLOEXEC)
        defer { close(writing) }
        try #require(flock(writing, LOCK_EX) == 0)
        var configuration = CaptureConfiguration(
            source: .fragment("videotestsrc"),
            output: .files(try FileNameTemplate(parsing: folder.path + "/day/a.jpg")))
        configuration.overwrites = true
        let writer = StillWriter(configuration)
        try await writer.prepare()
        await writer.close()
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/day").sorted()
        #expect(rest == [live, "a.jpg"])
    }

    @Test("Picture numbers continue after the highest number in the folder")
    func numbers() async throws {
        try folder.write("a-041.png", "text")
        var configuration = CaptureConfiguration(
            source: .fragment("videotestsrc"),
            output: .files(try FileNameTemplate(parsing: folder.path + "/a-%03n.png")))
        configuration.still = .png
        let writer = StillWriter(configuration)
        for number in 42...44 {
            let still = try await write(RGBPicture.distinct(5, 3).sample(), writer)
            #expect(still.sequence == number)
            #expect(still.path == folder.path + "/a-0\(number).png")
        }
        await writer.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
    }

    @Test(
        "A picture has the wall-clock time of its frame's arrival, also if the machine is suspended before it is stored"
    )
    func arrivalTime() async throws {
        let now = PipelineClock.system.now
        let arrival = WallTime(seconds: 1_000_000_000, nanoseconds: 0, utcOffset: 0)
        let frame = Frame(
            sample: try RGBPicture.distinct(5, 3).sample(), time: now, clocks: TimeLine(now, is: arrival, zone: .utc))
        let writer = StillWriter(CaptureConfiguration(source: .fragment("videotestsrc"), output: .caller))
        let written = try await writer.write(
            frame, slot: Slot(index: 0, due: now), burstIndex: 0, tolerance: .seconds(1), exposure: nil)
        await writer.close()
        #expect(written.still?.captured == arrival)
    }

    @Test("A name has the time of the slot, and a tag that of the frame, also if the frame is of the day before")
    func nameOfSlot() async throws {
        let now = PipelineClock.system.now
        let midnight = WallTime(WallMoment(seconds: 1_000_080_000))
        let arrival = WallTime(WallMoment(midnight) - .milliseconds(3))
        let frame = Frame(
            sample: try RGBPicture.distinct(5, 3).sample(), time: now,
            clocks: TimeLine(now, is: arrival, zone: .machine))
        let template = try FileNameTemplate(parsing: folder.path + "/%Y-%m-%d/%H%M%S.jpg")
        let writer = StillWriter(CaptureConfiguration(source: .fragment("videotestsrc"), output: .files(template)))
        let slot = Slot(index: 0, due: now + .milliseconds(3), moment: WallMoment(midnight))
        let written = try await writer.write(
            frame, slot: slot, burstIndex: 0, tolerance: .seconds(1), exposure: nil)
        await writer.close()
        let still = try #require(written.still)
        #expect(still.path == template.render(midnight, sequence: 1) && still.captured == arrival)
        #expect(template.render(arrival, sequence: 1) != still.path)
    }

    @Test("A series whose names the file system refuses fails at the start, and leaves nothing")
    func refusedName() async throws {
        let name = String(repeating: "x", count: 252)
        let template = try FileNameTemplate(parsing: "\(folder.path)/\(name)%n.jpg")
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .files(template))
        configuration.schedule = .every(.seconds(1))
        let writer = StillWriter(configuration)
        let error = await #expect(throws: CaptureError.self) { try await writer.prepare() }
        await writer.close()
        #expect(error?.code == .cannotCreate && error?.advice == "choose a shorter name")
        #expect(DeviceFiles.names(in: folder.path).isEmpty)
    }

    @Test("A number that another program takes during a series is passed over")
    func takenNumber() async throws {
        let template = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        let writer = StillWriter(CaptureConfiguration(source: .fragment("videotestsrc"), output: .files(template)))
        var numbers = [try await write(RGBPicture.distinct(5, 3).sample(), writer).sequence]
        for name in ["2.jpg", "3.jpg"] { try folder.write(name, "another program's") }
        for _ in 0..<2 { numbers.append(try await write(RGBPicture.distinct(5, 3).sample(), writer).sequence) }
        await writer.close()
        #expect(numbers == [1, 4, 5])
    }

    private func write(
        _ sample: Sample, _ change: (inout CaptureConfiguration) throws -> Void
    ) async throws -> Still {
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .caller)
        try change(&configuration)
        let writer = StillWriter(configuration)
        let still = try await write(sample, writer)
        await writer.close()
        return still
    }

    private func write(_ sample: Sample, _ writer: StillWriter) async throws -> Still {
        let now = PipelineClock.system.now
        let written = try await writer.write(
            Frame(sample: sample, time: now), slot: Slot(index: 0, due: now), burstIndex: 0, tolerance: .seconds(1),
            exposure: nil)
        return try #require(written.still)
    }
}
