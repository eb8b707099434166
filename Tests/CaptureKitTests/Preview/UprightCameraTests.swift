// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import FrameMeasures
import PipelineKit
import ScheduleKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import CropKit

/// A camera in front of a picture, by default of four fields: red and green above, blue and yellow below.
struct FourFields: Sendable {
    static let width = 320, height = 240

    let folder: TemporaryFolder

    /// The frames that a camera delivers.
    enum Kind: String, Sendable, CaseIterable {
        case raw, jpeg
    }

    /// - Parameter picture: The frame, as the camera delivers it.
    init(_ picture: StillPixels = FourFields.frame) async throws {
        folder = try TemporaryFolder()
        let png = try await StillCoding.encode(picture, .png, quality: 95)
        try Data(png).write(to: URL(filePath: folder.path + "/fields.png"))
    }

    /// A source of twenty frames a second.
    func source(_ kind: Kind) -> String {
        "filesrc location=\(folder.path)/fields.png ! pngdec ! imagefreeze is-live=true ! videoconvert "
            + "! video/x-raw,format=I420,framerate=20/1" + (kind == .jpeg ? " ! jpegenc quality=95" : "")
            + " ! identity"
    }

    /// A source of JPEG frames with an orientation tag.
    func source(tagged orientation: Orientation) async throws -> String {
        var metadata = StillMetadata(captured: .now(), width: Self.width, height: Self.height)
        metadata.orientation = orientation
        let jpeg = try await StillCoding.encode(Self.frame, .jpeg, quality: 95)
        try Data(metadata.embedded(in: jpeg, .jpeg)).write(to: URL(filePath: folder.path + "/tagged.jpg"))
        return "multifilesrc location=\(folder.path)/tagged.jpg loop=true caps=image/jpeg,framerate=20/1 "
            + "! identity sync=true"
    }

    /// The colors of the four fields from the top left, row by row, after turning and mirroring.
    static func fields(_ orientation: Orientation, isMirrored: Bool = false) -> String {
        let small = RGBPicture(width: 2, height: 2) { [UInt8($0 + 2 * $1), 0, 0] }
        let turned = small.shown(byExif: orientation.rawValue).mirrored(isMirrored ? .horizontal : .none)
        return String(turned.pixels.map { Array("RGBY")[Int($0[0])] })
    }

    private static let colors: [SIMD4<UInt8>] = [
        SIMD4(220, 20, 20, 255), SIMD4(20, 200, 20, 255), SIMD4(20, 20, 220, 255), SIMD4(220, 220, 20, 255),
    ]

    static let frame = StillPixels(
        width: width, height: height,
        pixels: (0..<width * height).map { index in
            let (x, y) = (index % width * 2 / width, index / width * 2 / height)
            return colors[x + 2 * y]
        })
}

extension RGBPicture {
    /// The colors a quarter away from the corners, row by row.
    var fields: String { fields(in: PixelBox(x: 0, y: 0, width: Double(width), height: Double(height))) }

    /// The colors a quarter away from the corners of a box, row by row.
    func fields(in box: PixelBox) -> String {
        let places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
        return String(
            places.map { x, y in
                let pixel = self[Int(box.x + x * box.width), Int(box.y + y * box.height)].map(Int.init)
                let (red, green, blue) = (pixel[0], pixel[1], pixel[2])
                if red > green + 40, red > blue + 40 { return "R" }
                if green > red + 40, green > blue + 40 { return "G" }
                if blue > red + 40, blue > green + 40 { return "B" }
                return red > blue + 40 && green > blue + 40 ? "Y" : "-"
            })
    }

    /// Decodes a still as viewers do, rotated by its tag.
    static func shown(_ bytes: [UInt8], _ format: StillFormat) async throws -> RGBPicture {
        let orientation = ExifBlock(ofFile: bytes, format)?.orientation ?? .upright
        return try await RGBPicture(decoding: bytes, format).shown(byExif: orientation.rawValue)
    }
}

// Each test takes a second of two cores: many at once leave no processor for other tests.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `The preview of a camera that is turned` {
    struct Case: Sendable, CustomTestStringConvertible {
        let orientation: Orientation
        let kind: FourFields.Kind
        let still: StillFormat
        let isMirrored: Bool

        var testDescription: String {
            "\(orientation) \(kind) camera, \(still) still" + (isMirrored ? ", mirrored preview" : "")
        }

        static let all = Orientation.allCases.flatMap { orientation in
            FourFields.Kind.allCases.map { kind in
                let number = orientation.rawValue
                return Case(
                    orientation: orientation, kind: kind, still: number % 3 == 0 ? .png : .jpeg,
                    isMirrored: (number % 2 == 0) == (kind == .raw))
            }
        }
    }

    @Test(arguments: Case.all)
    func `shows what a viewer shows of its stills, which say their size so`(scene: Case) async throws {
        let camera = try await FourFields()
        let previews = Mutex<[RGBPicture]>([])
        let record = await CaptureRecord.of(camera.source(scene.kind)) { configuration in
            configuration.schedule = .onRequest(count: 1)
            configuration.orientation = scene.orientation
            configuration.still = scene.still
            configuration.preview = PreviewRequest()
            configuration.preview?.isMirrored = scene.isMirrored
            configuration.preview?.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
        } onEvent: { event, controller in
            guard case .previewing = event else { return }
            if let picture = try? await controller.shownFrame() { previews.withLock { $0.append(picture) } }
            await controller.trigger()
        }
        let size = scene.orientation.swapsAxes ? [240, 320] : [320, 240]
        let still = try #require(record.stills.first)
        let picture = try await RGBPicture.shown(#require(still.bytes), scene.still)
        #expect(picture.fields == FourFields.fields(scene.orientation))
        #expect([picture.width, picture.height] == size && [still.width, still.height] == size)
        let seen = previews.withLock(\.first)
        let preview = try #require(seen)
        #expect(preview.fields == FourFields.fields(scene.orientation, isMirrored: scene.isMirrored))
        #expect([preview.width, preview.height] == size)
        #expect(record.events.contains { if case .previewing(size[0], size[1]) = $0 { true } else { false } })
    }

    @Test(arguments: [Orientation.turnedRight, .flipped, .transversed], [StillFormat.jpeg, .png])
    func `follows the orientation that the camera writes into its JPEG, as stills do`(
        own: Orientation, still: StillFormat
    ) async throws {
        let camera = try await FourFields()
        let source = try await camera.source(tagged: own)
        for orientation in [Orientation.upright, .turnedRight] {
            let previews = Mutex<[RGBPicture]>([])
            let record = await CaptureRecord.of(source) { configuration in
                configuration.schedule = .onRequest(count: 1)
                (configuration.orientation, configuration.still) = (orientation, still)
                configuration.preview = PreviewRequest()
                configuration.preview?.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
            } onEvent: { event, controller in
                guard case .previewing = event else { return }
                if let picture = try? await controller.shownFrame() { previews.withLock { $0.append(picture) } }
                await controller.trigger()
            }
            let fields = FourFields.fields(own.then(orientation))
            let taken = try #require(record.stills.first)
            let picture = try await RGBPicture.shown(#require(taken.bytes), still)
            #expect(picture.fields == fields && [taken.width, taken.height] == [picture.width, picture.height])
            let seen = previews.withLock(\.first)
            let preview = try #require(seen)
            #expect(preview.fields == fields && [preview.width, preview.height] == [picture.width, picture.height])
        }
    }

    @Test(
        arguments: [(120, nil, [120, 160]), (nil, 120, [90, 120]), (200, 100, [200, 100])] as [(Int?, Int?, [Int])])
    func `has the size that was requested, with the picture upright in it`(
        width: Int?, height: Int?, size: [Int]
    ) async throws {
        let camera = try await FourFields()
        let previews = Mutex<[RGBPicture]>([])
        _ = await CaptureRecord.of(camera.source(.raw)) { configuration in
            configuration.schedule = .onRequest(count: 1)
            configuration.orientation = .turnedRight
            configuration.preview = PreviewRequest()
            configuration.preview?.width = width
            configuration.preview?.height = height
            configuration.preview?.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
        } onEvent: { event, controller in
            guard case .previewing = event else { return }
            if let picture = try? await controller.shownFrame() { previews.withLock { $0.append(picture) } }
            await controller.trigger()
        }
        let seen = previews.withLock(\.first)
        let preview = try #require(seen)
        #expect([preview.width, preview.height] == size)
        // In 200x100 the upright picture is 75 wide, with borders at its sides.
        let wide = size[0] == 200 ? 75.0 : Double(size[0])
        let box = PixelBox(x: (Double(size[0]) - wide) / 2, y: 0, width: wide, height: Double(size[1]))
        #expect(preview.fields(in: box) == FourFields.fields(.turnedRight))
        #expect(size[0] != 200 || preview[20, 50].allSatisfy { $0 < 24 } && preview[180, 50].allSatisfy { $0 < 24 })
    }
}

extension CaptureController {
    /// The next frame of a preview whose sink is an `appsink` of the name "shown".
    nonisolated func shownFrame() async throws -> RGBPicture {
        let sink = try AppSink(named: "shown", in: #require(preview?.pipeline), .keepNewest(1))
        let sample = try await sink.nextSample()
        return try RGBPicture(#require(sample))
    }
}

extension CaptureRecord {
    /// The stills that were stored.
    var stills: [Still] { events.compactMap { if case .captured(let still) = $0 { still } else { nil } } }
}
