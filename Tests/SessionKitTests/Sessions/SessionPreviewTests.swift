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

@Suite(.serialized, .timeLimit(.minutes(5))) struct `On the preview of a session` {
    private static let size = PreviewSize(width: 640, height: 360)

    private static let caps = "video/x-raw,format=I420,width=640,height=360,framerate=30/1"
    private static let blue = "videotestsrc is-live=true pattern=solid-color foreground-color=0xff0000c8 ! \(caps)"
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

    /// The area of one digit.
    private static let digits = (x: 270...370, y: 104...227)

    /// Draws the outline of each stage, and returns the pixels that distinguish it.
    private func outlinePixels(
        _ session: SessionDescription, _ outlines: [String: Outline]
    ) async throws -> [OutlinePixels] {
        let composer = SessionComposer(session, outlines: outlines, on: Self.size)
        var pictures: [(name: String, picture: RGBPicture)] = []
        for (index, stage) in session.stages.enumerated() {
            let scene = SessionScene(.armed(stage: index, .trigger), SessionProgress(session))
            guard let name = stage.outline, case .live(let layers, let values) = composer.view(scene) else { continue }
            let outline = layers.filter { if case .outline = $0.content { true } else { false } }
            #expect(outline.map(\.placement) == [SessionComposer.outlinePlacement])
            let ground = try await RenderedView.ground("black", width: Self.size.width, height: Self.size.height)
            let view = SessionView.live(layers: outline, values: values)
            pictures.append((name, try await RGBPicture(RenderedView(view, on: ground).sample)))
        }
        let rows = Self.size.height / 8..<Self.size.height * 5 / 6
        return pictures.map { name, picture in
            let others = pictures.filter { $0.name != name }.map(\.picture)
            let places = rows.flatMap { y in (0..<Self.size.width).map { (x: $0, y: y) } }.filter { x, y in
                let isUnderDigits = Self.digits.x ~= x && Self.digits.y ~= y
                return !isUnderDigits && picture[x, y][1] > 230 && others.allSatisfy { $0[x, y][1] < 20 }
            }
            #expect(places.count > 100)
            return OutlinePixels(name: name, places: places)
        }
    }

    /// Judges a frame of the blue camera, or a page that is black around the picture.
    private static func judge(
        _ picture: PreviewWitness<Sight>.Picture, _ outlines: [OutlinePixels]
    ) -> Sight {
        func isBlue(_ x: Int, _ y: Int) -> Bool { picture[x, y].blue > 150 && picture[x, y].red < 60 }
        let corners = [(4, 4), (635, 4), (4, 355), (635, 355), (320, 180), (160, 90)].map { picture[$0.0, $0.1] }
        if corners.allSatisfy({ min($0.red, $0.green, $0.blue) > 235 }) { return .flash }
        guard isBlue(10, 180), isBlue(630, 180) else {
            return picture[10, 180].blue < 24 && isBlue(140, 250) && isBlue(500, 250) ? .taken : .other
        }
        let shares = outlines.map { ($0.name, $0.share(in: picture)) }
        guard shares.allSatisfy({ $0.1 >= 0.9 || $0.1 <= 0.1 }) else { return .other }
        let middle = digits.y.flatMap { y in digits.x.map { picture[$0, y].green } }
        return .live(shares.filter { $0.1 >= 0.9 }.map(\.0), digits: middle.count { $0 > 230 } > 800)
    }

    /// The sights on the preview in one run of the session avatar.
    private struct Showing {
        let changes: [(sight: Sight, time: ClockTime)]
        /// The zeros of the countdowns, in order.
        let zeros: [ClockTime]

        var sights: [Sight] { changes.map(\.sight) }
        var flashes: [(sight: Sight, time: ClockTime)] { changes.filter { $0.sight == .flash } }
        /// The outlines under digits, each change once.
        var counted: [[String]] {
            let outlines = sights.compactMap { if case .live(let names, digits: true) = $0 { names } else { nil } }
            return outlines.drop(while: \.isEmpty).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        /// The sights before, between and after the last four flashes.
        var parts: [ArraySlice<Sight>] { Array(sights.split(separator: .flash).suffix(5)) }

        /// `true` if the preview had time for each digit, flash and page. On a busy machine it leaves frames out.
        func isComplete(_ stages: [[String]]) -> Bool {
            flashes.count >= 4 && counted == stages && parts.count == 5
                && parts.dropFirst().contains { $0.contains(.taken) }
                && zip(parts, stages).allSatisfy { $0.last == .live($1, digits: true) }
        }
    }

    /// Runs the session avatar without gates, and watches its preview.
    private func show(
        _ session: SessionDescription, _ library: OutlineLibrary, _ pixels: [OutlinePixels]
    ) async throws
        -> Showing
    {
        let witness = try PreviewWitness(Self.size) { Self.judge($0, pixels) }
        let zeros = Mutex<[ClockTime]>([])
        let account = await SessionAccount.of(session, sources: [.front: Self.blue]) {
            $0.isAutomatic = false
            ($0.preview, $0.outlines) = (witness.request, library)
        } onEvent: { [session] event, controller in
            guard case .phase(let phase) = event else { return }
            switch phase.name {
            case .ready:
                try? witness.watch(controller)
                _ = try? await witness.wait(for: .live([], digits: false))
                await controller.trigger()
            case .armed:
                let outline = session.stages[phase.stage ?? 0].outline
                _ = try? await witness.wait(for: .live([outline].compactMap(\.self), digits: false))
                await controller.trigger()
            case .counting:
                if let zero = await controller.machine.phase.zero { zeros.withLock { $0.append(zero) } }
            case .review: await controller.accept()
            default: break
            }
        }
        #expect(account.outcome.ending == .accepted)
        return Showing(changes: witness.changes(), zeros: zeros.withLock(\.self))
    }

    @Test func `outlines change with the stages, digits count, each picture flashes and is shown`() async throws {
        let checkout = String(ShippedPresets.folder.dropLast("/pipelines".count))
        let library = OutlineLibrary(PresetSurroundings(workingFolder: checkout))
        var session = try SessionFile(path: ShippedSessions.folder + "/avatar.yaml").session
        (session.tutorial, session.gates, session.countdown) = ([], [], .seconds(2))
        session.nextStages = .trigger
        session.stages[3].gates = []
        let names = session.stages.compactMap(\.outline)
        let outlines = try Dictionary(uniqueKeysWithValues: names.map { ($0, try library.outline($0)) })
        let pixels = try await outlinePixels(session, outlines)
        let stages = [["body-front"], ["body-side"], [], ["face"]]

        var complete: Showing?
        for _ in 1...10 where complete == nil {
            let showing = try await show(session, library, pixels)
            // A page that the preview had no time for may be missing, but the pages never come in another order.
            var rest = stages[...]
            for outline in showing.counted {
                rest = rest.drop { $0 != outline }
                #expect(rest.first == outline, "\(showing.counted)")
            }
            if showing.isComplete(stages) { complete = showing }
        }
        let showing = try #require(complete, "no run showed every digit, flash and page")

        let zeros = showing.zeros.suffix(4)
        #expect(zeros.count == 4)
        for (flash, zero) in zip(showing.flashes.suffix(4), zeros) { #expect(flash.time >= zero) }
        for (part, next) in zip(showing.parts.dropFirst(), stages.dropFirst()) where part.contains(.taken) {
            // The stage before is not shown again.
            let after = part.drop { $0 != .taken }.dropFirst().drop { $0 == .live([], digits: false) }
            #expect(after.first == .live(next, digits: false) || after.first == .live(next, digits: true))
        }
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
    func `the last frame of a camera is blurred until the other's first`(phase wanted: SessionPhase.Name) async throws {
        let witness = try PreviewWitness(Self.size, Self.look)
        var session = SessionDescription.quick("one", "two")
        session.nextStages = .trigger
        // The other camera delivers when its valve is opened.
        let folder = try TemporaryFolder()
        let socket = "socket-path=\(folder.path)/back"
        let back = try Pipeline(
            "\(Self.blue) ! valve name=valve drop=true ! shmsink \(socket) wait-for-connection=false sync=false async=false"
        )
        try await back.play()
        let sources: [CameraRole: String] = [
            .front: Self.checkers, .back: "shmsrc \(socket) is-live=true do-timestamp=true ! \(Self.caps)",
        ]
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
                guard await controller.current?.role == .front else { return }
                let number = try? await witness.wait(for: .checkers)
                last.withLock { $0 = number ?? 0 }
                await controller.switchCamera()
                _ = try? await witness.wait(for: .blurred)
                try? back.element(named: "valve").set("drop", to: false)
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

extension SessionMachine.Phase {
    /// The zero of a countdown that runs or has just ended.
    fileprivate var zero: ClockTime? {
        switch self {
        case .counting(_, let zero), .capturing(_, _, let zero): zero
        default: nil
        }
    }
}
