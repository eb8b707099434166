// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import FrameMeasures
import OverlayCompositor
import PipelineKit
import PresetKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

extension LiveFrames {
    @Suite(.serialized, .timeLimit(.minutes(10))) struct `The preview of a session` {
        private static let size = PreviewSize(width: 640, height: 360)

        private static let caps = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
        private static let blueScene = "pattern=solid-color foreground-color=0xff0000c8"
        private static let blue = "videotestsrc is-live=true \(blueScene) ! \(caps)"
        private static let checkers = "videotestsrc is-live=true pattern=checkers-8 ! \(caps)"

        // MARK: Stages

        /// The content of a frame.
        private enum Sight: Equatable {
            /// The camera's frame, with these outlines, and with digits.
            case live([String], digits: Bool)
            case flash
            /// The picture that was taken.
            case taken
            case other
        }

        /// The pixels of an outline's lines that no other outline has, away from texts and digits.
        private struct OutlinePixels: Sendable {
            let name: String
            let places: [(x: Int, y: Int)]

            /// The fraction of these pixels that is white.
            func share(in picture: PreviewWitness<Sight>.Picture) -> Double {
                Double(places.count { picture[$0.x, $0.y].green > 150 }) / Double(places.count)
            }
        }

        /// The area of two digits.
        private static let digits = (x: 200...440, y: 104...227)

        /// The pixels by which a frame is judged.
        private struct Pixels: Sendable {
            let outlines: [OutlinePixels]
            /// Pixels in the area of the digits that no outline has.
            let digits: [(x: Int, y: Int)]

            func hasDigits(_ green: (_ x: Int, _ y: Int) -> Int) -> Bool {
                digits.count { green($0.x, $0.y) > 230 } > 800
            }
        }

        /// Draws the outline of each stage, and returns the pixels that distinguish it.
        private func pixels(_ session: SessionDescription, _ outlines: [String: Outline]) async throws -> Pixels {
            let composer = SessionComposer(session, outlines: outlines, on: Self.size)
            var pictures: [(name: String, picture: RGBPicture)] = []
            for (index, stage) in session.stages.enumerated() {
                let scene = SessionScene(.armed(stage: index, .trigger), SessionProgress(session))
                guard let name = stage.outline, case .live(let layers, let values) = composer.view(scene) else {
                    continue
                }
                let outline = layers.filter { if case .outline = $0.content { true } else { false } }
                #expect(outline.map(\.placement) == [SessionComposer.outlinePlacement])
                let ground = try await RenderedView.ground("black", width: Self.size.width, height: Self.size.height)
                let view = SessionView.live(layers: outline, values: values)
                pictures.append((name, try await RGBPicture(RenderedView(view, on: ground).sample)))
            }
            // Below the notice of an abort, and above the keys.
            let rows = Self.size.height / 3..<Self.size.height * 5 / 6
            let distinct = pictures.map { name, picture in
                let others = pictures.filter { $0.name != name }.map(\.picture)
                let places = rows.flatMap { y in (0..<Self.size.width).map { (x: $0, y: y) } }.filter { x, y in
                    let isUnderDigits = Self.digits.x ~= x && Self.digits.y ~= y
                    return !isUnderDigits && picture[x, y][1] > 230 && others.allSatisfy { $0[x, y][1] < 20 }
                }
                #expect(places.count > 100)
                return OutlinePixels(name: name, places: places)
            }
            let digits = Self.digits.y.flatMap { y in Self.digits.x.map { (x: $0, y: y) } }.filter { x, y in
                pictures.allSatisfy { $0.picture[x, y][1] < 20 }
            }
            let pixels = Pixels(outlines: distinct, digits: digits)
            // Without a font, no frame would ever have digits.
            var scene = SessionScene(.counting(stage: 0, zero: .zero), SessionProgress(session))
            scene.countdown = "90"
            let ground = try await RenderedView.ground("black", width: Self.size.width, height: Self.size.height)
            let counting = try await RGBPicture(RenderedView(composer.view(scene), on: ground).sample)
            try #require(
                pixels.hasDigits { Int(counting[$0, $1][1]) },
                "no digits are drawn: install a font, such as fonts-dejavu-core")
            return pixels
        }

        /// Judges a frame of the blue camera, or a page that is black around the picture.
        private static func judge(_ picture: PreviewWitness<Sight>.Picture, _ pixels: Pixels) -> Sight {
            func isBlue(_ x: Int, _ y: Int) -> Bool { picture[x, y].blue > 150 && picture[x, y].red < 60 }
            let corners = [(4, 4), (635, 4), (4, 355), (635, 355), (320, 180), (160, 90)].map { picture[$0.0, $0.1] }
            if corners.allSatisfy({ min($0.red, $0.green, $0.blue) > 235 }) { return .flash }
            guard isBlue(10, 180), isBlue(630, 180) else {
                return picture[10, 180].blue < 24 && isBlue(140, 250) && isBlue(500, 250) ? .taken : .other
            }
            let shares = pixels.outlines.map { ($0.name, $0.share(in: picture)) }
            guard shares.allSatisfy({ $0.1 >= 0.9 || $0.1 <= 0.1 }) else { return .other }
            return .live(shares.filter { $0.1 >= 0.9 }.map(\.0), digits: pixels.hasDigits { picture[$0, $1].green })
        }

        /// The session avatar without gates: each stage begins by a trigger, and can be skipped.
        private static func avatar(
            countdown: Duration, abort: SessionDescription.AbortPolicy
        ) throws -> SessionDescription {
            var session = try SessionFile(path: ShippedSessions.folder + "/avatar.yaml").session
            (session.tutorial, session.gates, session.countdown) = ([], [], countdown)
            (session.nextStages, session.abort) = (.trigger, abort)
            for index in session.stages.indices {
                (session.stages[index].gates, session.stages[index].isSkippable) = ([], true)
            }
            return session
        }

        /// The shipped outlines.
        private static let library = OutlineLibrary(
            PresetSurroundings(workingFolder: String(ShippedPresets.folder.dropLast("/pipelines".count))))

        /// A witness of the preview of a session, which knows its outlines.
        private func witness(of session: SessionDescription) async throws -> PreviewWitness<Sight> {
            let names = session.stages.compactMap(\.outline)
            let outlines = try Dictionary(uniqueKeysWithValues: names.map { ($0, try Self.library.outline($0)) })
            let pixels = try await pixels(session, outlines)
            return try PreviewWitness(Self.size) { Self.judge($0, pixels) }
        }

        @Test func `The outline changes with each stage, and the countdown is drawn over it`() async throws {
            // Each countdown is aborted as soon as its digits are seen, however slow the machine is.
            let session = try Self.avatar(countdown: .seconds(90), abort: .retakeStage)
            let witness = try await witness(of: session)
            let counted = Mutex<Set<Int>>([])
            let account = await SessionAccount.of(session, sources: [.front: Self.blue]) {
                $0.isAutomatic = false
                ($0.preview, $0.outlines) = (witness.request, Self.library)
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                let outlines = phase.stage.map { [session.stages[$0].outline].compactMap(\.self) } ?? []
                switch (phase.name, phase.stage) {
                case (.ready, _):
                    try? witness.watch(controller)
                    _ = try? await witness.wait(for: .live([], digits: false))
                    await controller.trigger()
                case (.armed, let stage?):
                    _ = try? await witness.wait(for: .live(outlines, digits: false))
                    let isCounted = counted.withLock { $0.contains(stage) }
                    if isCounted { await controller.skip() } else { await controller.trigger() }
                case (.counting, let stage?):
                    _ = try? await witness.wait(for: .live(outlines, digits: true))
                    counted.withLock { _ = $0.insert(stage) }
                    await controller.abort()
                case (.review, _): await controller.cancel()
                default: break
                }
            }
            #expect(account.outcome.ending == .cancelled)
            #expect(account.aborts == Array(session.stages.indices))
        }

        @Test func `The preview flashes at zero, and shows the picture and then the next outline`() async throws {
            let countdown = Duration.milliseconds(500)
            var session = try Self.avatar(countdown: countdown, abort: .restart)
            session.stages.removeLast(2)
            let (first, next) = (try #require(session.stages[0].outline), try #require(session.stages[1].outline))
            let witness = try await witness(of: session)
            /// The first frame of the latest run of the first stage, and a time before its countdown.
            let run = Mutex((frame: 0, start: ClockTime.zero))
            /// A time before each countdown, and the earliest zero. On a busy machine the zero can be missed.
            let counts = Mutex<[(start: ClockTime, zero: ClockTime)]>([])
            /// The sights of the latest run.
            @Sendable func sights() -> [Sight] { witness.changes(from: run.withLock { $0.frame }).map(\.sight) }
            let account = await SessionAccount.of(session, sources: [.front: Self.blue]) {
                $0.isAutomatic = false
                ($0.preview, $0.outlines) = (witness.request, Self.library)
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                switch (phase.name, phase.stage) {
                case (.ready, _):
                    try? witness.watch(controller)
                    run.withLock { $0.start = PipelineClock.system.now }
                    await controller.trigger()
                case (.armed, 0):
                    let frame = try? await witness.wait(for: .live([first], digits: false))
                    run.withLock { $0 = (frame ?? $0.frame, PipelineClock.system.now) }
                    await controller.trigger()
                case (.counting, _):
                    let start = run.withLock { $0.start }
                    counts.withLock { $0.append((start, start + countdown)) }
                // A busy machine leaves frames out: the first stage begins again until the flash and the picture were
                // seen.
                case (.armed, _) where !sights().contains(.flash) || !sights().contains(.taken):
                    await controller.abort()
                case (.armed, _):
                    _ = try? await witness.wait(for: .live([next], digits: false))
                    await controller.cancel()
                default: break
                }
            }
            #expect(account.outcome.ending == .cancelled)
            let afterPicture = sights().drop { $0 != .flash }.drop { $0 != .taken }
            #expect(!afterPicture.isEmpty)
            let live = afterPicture.filter { if case .live = $0 { $0 != .live([], digits: false) } else { false } }
            #expect(live == [.live([next], digits: false)], "\(live)")
            let flashes = witness.changes().filter { $0.sight == .flash }.map(\.time)
            for (start, zero) in counts.withLock(\.self) { #expect(!flashes.contains { start <= $0 && $0 < zero }) }
        }

        // MARK: Cameras

        private enum Look: Equatable { case checkers, blurred, blue, other }

        /// Judges the area at the left of the middle, which has no text.
        private static func look(_ picture: PreviewWitness<Look>.Picture) -> Look {
            let pixels = (200..<280).flatMap { y in (8..<40).map { picture[$0, y] } }
            let greens = pixels.map(\.green).sorted()
            if pixels.allSatisfy({ $0.blue > 150 && $0.green < 60 }) { return .blue }
            if greens[greens.count / 8] < 60, greens[greens.count * 7 / 8] > 190 { return .checkers }
            return greens[0] > 20 && greens[greens.count - 1] < 180 ? .blurred : .other
        }

        @Test(arguments: [SessionPhase.Name.ready, .armed])
        func `The last frame of a camera is shown blurred until the first frame of the other camera`(
            phase wanted: SessionPhase.Name
        ) async throws {
            let witness = try PreviewWitness(Self.size, Self.look)
            var session = SessionDescription.quick("one", "two")
            session.nextStages = .trigger
            // The other camera delivers when its valve is opened.
            let back = try await SharedCamera(Self.blueScene, isValveOpen: false)
            let sources: [CameraRole: String] = [.front: Self.checkers, .back: back.source]
            let last = Mutex(0)
            let account = await SessionAccount.of(session, sources: sources) {
                $0.isAutomatic = false
                $0.preview = witness.request
                // The user may switch before the first camera has settled; its frames are shown before that.
                if wanted == .ready { $0.cameras[.front]?.settle = .fixed(.seconds(60)) }
            } onEvent: { event, controller in
                guard case .phase(let phase) = event else { return }
                if phase.name == .ready { try? witness.watch(controller) }
                if phase.name == wanted {
                    guard await controller.snapshot().role == .front else { return }
                    let number = try? await witness.wait(for: .checkers)
                    last.withLock { $0 = number ?? 0 }
                    await controller.switchCamera()
                    _ = try? await witness.wait(for: .blurred, from: number)
                    try? back.setValve(isOpen: true)
                    _ = try? await witness.wait(for: .blue)
                    await controller.cancel()
                } else if phase.name == .ready {
                    await controller.trigger()
                }
            }
            try await back.stop()
            #expect(account.outcome.ending == .cancelled)
            let seen = witness.changes(from: last.withLock { $0 }).map(\.sight)
            #expect(seen.prefix(3) == [.checkers, .blurred, .blue])
        }
    }
}
