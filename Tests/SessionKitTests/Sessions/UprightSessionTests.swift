// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import FrameMeasures
import OverlayCompositor
import OverlayRaster
import PipelineKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import CropKit
@testable import SessionKit
@testable import SessionModel

extension LiveFrames {
    // Each test takes a second of two cores: many at once leave other tests no processor.
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct `A session with a turned camera` {
        struct Case: Sendable, CustomTestStringConvertible {
            let orientation: Orientation
            let kind: FourFields.Kind
            let isMirrored: Bool

            var testDescription: String { "\(orientation) \(kind) camera" + (isMirrored ? ", mirrored preview" : "") }

            /// The width and the height of a picture, as a viewer shows it.
            var size: [Int] { orientation.swapsAxes ? [240, 320] : [320, 240] }

            static let all = Orientation.allCases.flatMap { orientation in
                FourFields.Kind.allCases.map { kind in
                    Case(
                        orientation: orientation, kind: kind,
                        isMirrored: (orientation.rawValue % 2 == 0) == (kind == .raw))
                }
            }
        }

        /// The outline of a passport picture, which is drawn in white.
        private static let outline = """
            <svg viewBox="0 0 35 45" fill="none" stroke="#fff"><rect id="subject" width="35" height="45"/></svg>
            """

        /// - Parameter look: Returns `true` for the last frame of the preview that it wants to see.
        private func run(
            _ session: SessionDescription, _ scene: Case, sources: [CameraRole: String],
            look: @escaping @Sendable (_ stage: Int, RGBPicture) -> Bool
        ) async -> SessionAccount {
            await SessionAccount.of(session, sources: sources) { configuration in
                for role in configuration.cameras.keys { configuration.cameras[role]?.orientation = scene.orientation }
                configuration.isAutomatic = false
                configuration.preview.isMirrored = scene.isMirrored
                configuration.preview.sink = .elements("video/x-raw,format=RGB ! appsink name=shown sync=false")
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                switch phase.name {
                case .ready, .stageDone: await controller.trigger()
                case .armed:
                    if let pipeline = controller.screenPipeline,
                        let sink = try? AppSink(named: "shown", in: pipeline, .keepNewest(1))
                    {
                        // Layers are drawn beside the stream, on a busy machine in seconds.
                        while let sample = try? await sink.nextSample() {
                            if let picture = try? RGBPicture(sample), look(phase.stage ?? 0, picture) { break }
                            await Task.yield()
                        }
                    }
                    await controller.trigger()
                case .review: await controller.accept()
                default: break
                }
            }
        }

        /// `true` for white: each of the four fields is dark in one color.
        private static func isLine(_ pixel: RGBPicture.Pixel) -> Bool { pixel.min() > 100 }

        @Test(arguments: Case.all)
        func `A crop has the outline's content and proportions, and the record has the size that viewers show`(
            scene: Case
        ) async throws {
            let camera = try await FourFields()
            // The first stage waits for its camera, the second for a trigger.
            var session = SessionDescription.quick("begin", "front")
            session.nextStages = .trigger
            session.stages[1].outline = try camera.folder.write("passport.svg", Self.outline)
            session.stages[1].crop = .outline
            // The outer edges of the drawn outline: in the row of its middle, and the lowest in a column of its left
            // half.
            let seen = Mutex<(size: [Int], left: Int, right: Int, bottom: Int, fields: String)?>(nil)
            let account = await run(session, scene, sources: [.front: camera.source(scene.kind)]) { _, picture in
                // The picture of the first stage is confirmed by a flash, which is white everywhere.
                let fields = picture.fields
                guard !fields.contains("-") else { return false }
                let row = picture.height * 45 / 100
                let line = (0..<picture.width).filter { Self.isLine(picture[$0, row]) }
                guard let left = line.first, let right = line.last, right - left > 20 else { return false }
                let column = left + (right - left) / 5
                let bottom = (picture.height / 2..<picture.height).last { Self.isLine(picture[column, $0]) }
                seen.withLock {
                    $0 = ([picture.width, picture.height], left, right, bottom ?? 0, fields)
                }
                return true
            }
            let picture = try #require(account.outcome.pictures.last)
            let shown = try await RGBPicture.shown(#require(picture.bytes), .jpeg)
            #expect([shown.width, shown.height] == scene.size)
            #expect([picture.still.file.width, picture.still.file.height] == scene.size)
            #expect(shown.fields == FourFields.fields(scene.orientation))

            let record = try #require(picture.still.crop)
            let crop = try await RGBPicture.shown(#require(picture.crop), .jpeg)
            #expect(crop.width == record.file.width && crop.height == record.file.height)
            let proportions = Double(crop.width) / Double(crop.height)
            #expect((proportions - 35.0 / 45).magnitude < 0.02)
            #expect(crop.fields == FourFields.fields(scene.orientation))

            // The preview shows all of the still, at its size.
            let found = seen.withLock { $0 }
            let view = try #require(found)
            #expect(view.size == scene.size)
            #expect(view.fields == FourFields.fields(scene.orientation, isMirrored: scene.isMirrored))
            let (left, right) = (record.corners.topLeft.x, record.corners.bottomRight.x)
            let edges = scene.isMirrored ? [Double(view.size[0]) - right, Double(view.size[0]) - left] : [left, right]
            #expect(abs(Double(view.left) - edges[0]) < 6 && abs(Double(view.right) - edges[1]) < 6)
            #expect(abs(Double(view.bottom) - record.corners.bottomRight.y) < 6)
        }

        @Test(arguments: [Orientation.turnedRight, .turnedLeft, .transposed], FourFields.Kind.allCases)
        func `Gates judge the upright picture`(orientation: Orientation, kind: FourFields.Kind) async throws {
            let outlines = try TemporaryFolder()
            let path = try outlines.write("passport.svg", Self.outline)
            let planner = OverlayPlanner(CairoRasterizer())
            let box = try await OutlineShape(
                of: Outline(name: "passport", path: path), SessionComposer.outlinePlacement,
                on: StillGeometry(stillWidth: 240, height: 320), by: planner
            ).box
            // A light card fills the outline of the upright picture.
            let upright = RGBPicture(width: 240, height: 320) { x, y in
                let isCard =
                    abs(Double(x) + 0.5 - box.center.x) < box.width / 2
                    && abs(Double(y) + 0.5 - box.center.y) < box.height / 2
                return RGBPicture.Pixel(repeating: (isCard ? 170 : 60) + ((x / 5 + y / 7) % 2 == 0 ? 12 : 0))
            }
            let back = try #require(Orientation.allCases.first { orientation.then($0) == .upright })
            let delivered = upright.shown(byExif: back.rawValue)
            let camera = try await FourFields(
                StillPixels(
                    width: delivered.width, height: delivered.height,
                    pixels: delivered.pixels.map { SIMD4($0[0], $0[1], $0[2], 255) }))
            var session = SessionDescription.quick("front")
            session.stages[0].outline = path
            session.gates = GateRequest.Kind.allCases.map { kind in
                var gate = GateRequest(kind, .wait)
                // After a timeout on a slow machine the picture would be captured without the gate.
                gate.limit = .seconds(250)
                return gate
            }
            let account = await SessionAccount.of(session, sources: [.front: camera.source(kind)]) { configuration in
                configuration.cameras[.front]?.orientation = orientation
            }
            let still = try #require(account.captured.first)
            #expect(Set(still.gates.map(\.kind)) == Set(GateRequest.Kind.allCases))
            for gate in still.gates { #expect(gate.holds && !gate.isOff, "\(gate)") }
        }

        @Test(arguments: Case.all)
        func `The ghost of the last picture is turned like that picture`(scene: Case) async throws {
            let camera = try await FourFields()
            var session = SessionDescription.quick("front", "back")
            session.nextStages = .trigger
            (session.stages[0].camera, session.stages[1].camera) = (.front, .back)
            session.stages[1].ghost = .previous
            let gray =
                "videotestsrc is-live=true pattern=solid-color foreground-color=0xff808080 "
                + "! video/x-raw,width=320,height=240,framerate=20/1 ! identity"
            let ghosts = Mutex<[String]>([])
            let account = await run(session, scene, sources: [.front: camera.source(scene.kind), .back: gray]) {
                stage, picture in
                guard stage == 1 else { return true }
                let fields = picture.fields
                guard !fields.contains("-") else { return false }
                ghosts.withLock { $0.append(fields) }
                return true
            }
            #expect(account.outcome.ending == .accepted)
            let seen = ghosts.withLock { $0 }
            #expect(seen == [FourFields.fields(scene.orientation, isMirrored: scene.isMirrored)])
        }
    }
}
