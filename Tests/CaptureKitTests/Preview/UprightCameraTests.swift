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

extension LiveFrames {
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

        /// Makes a capture wait for a request, with a preview whose frames the test reads. A camera that is silent for
        /// seconds does not stall: the machine may stand still.
        private static func request(_ configuration: inout CaptureConfiguration) {
            (configuration.schedule, configuration.stallLimit) = (.onRequest(count: 1), .seconds(300))
            configuration.preview = PreviewRequest()
            configuration.preview?.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
        }

        @Test(arguments: Case.all)
        func `The preview has the orientation and the size of the stills in a viewer`(scene: Case) async throws {
            let camera = try await FourFields()
            let previews = Mutex<[RGBPicture]>([])
            let record = await CaptureRecord.of(camera.source(scene.kind)) { configuration in
                Self.request(&configuration)
                configuration.orientation = scene.orientation
                configuration.still = scene.still
                configuration.preview?.isMirrored = scene.isMirrored
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
        func `The preview follows the orientation tag of the camera's JPEG, as stills do`(
            own: Orientation, still: StillFormat
        ) async throws {
            let camera = try await FourFields()
            let source = try await camera.source(tagged: own)
            for orientation in [Orientation.upright, .turnedRight] {
                let previews = Mutex<[RGBPicture]>([])
                let record = await CaptureRecord.of(source) { configuration in
                    Self.request(&configuration)
                    (configuration.orientation, configuration.still) = (orientation, still)
                } onEvent: { event, controller in
                    guard case .previewing = event else { return }
                    if let picture = try? await controller.shownFrame() { previews.withLock { $0.append(picture) } }
                    await controller.trigger()
                }
                let fields = FourFields.fields(own.then(orientation))
                let taken = try #require(record.stills.first)
                let picture = try await RGBPicture.shown(#require(taken.bytes), still)
                #expect(picture.fields == fields && (taken.width, taken.height) == (picture.width, picture.height))
                let seen = previews.withLock(\.first)
                let preview = try #require(seen)
                #expect(
                    preview.fields == fields && (preview.width, preview.height) == (picture.width, picture.height))
            }
        }

        @Test(
            arguments: [(120, nil, [120, 160]), (nil, 120, [90, 120]), (200, 100, [200, 100])] as [(Int?, Int?, [Int])])
        func `The preview has the requested size, and the picture in it is upright`(
            width: Int?, height: Int?, size: [Int]
        ) async throws {
            let camera = try await FourFields()
            let previews = Mutex<[RGBPicture]>([])
            _ = await CaptureRecord.of(camera.source(.raw)) { configuration in
                Self.request(&configuration)
                configuration.orientation = .turnedRight
                configuration.preview?.width = width
                configuration.preview?.height = height
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
            #expect(size[0] != 200 || preview[20, 50].max() < 24 && preview[180, 50].max() < 24)
        }
    }
}

extension CaptureController {
    /// The next frame of a preview whose sink is an `appsink` of the name "shown".
    nonisolated func shownFrame() async throws -> RGBPicture {
        let sink = try AppSink(named: "shown", in: #require(screen), .keepNewest(1))
        let sample = try await sink.nextSample()
        return try RGBPicture(#require(sample))
    }
}

extension CaptureRecord {
    /// The stills that were stored.
    var stills: [Still] { events.compactMap { if case .captured(let still) = $0 { still } else { nil } } }
}
