// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import Testing

@testable import CaptureKit

@Suite("Gates on live frames", .enabled(if: Photograph.isInstalled, Photograph.advice), .timeLimit(.minutes(5)))
struct GateWatchTests {
    /// A card in the middle of the preview.
    private static let card = PixelBox(x: 132, y: 62, width: 376, height: 236)
    private static let subject = GateSubject(presence: .edges, boundary: boundary(of: card))

    private static func boundary(of box: PixelBox) -> [PixelPoint] {
        box.corners.corners.map { PixelPoint($0.x / 640, $0.y / 360) }
    }

    @Test("each is told once within ten frames, and then when it changes")
    func once() async throws {
        var camera = try await WatchedCamera(GateWatch())
        camera.card = Self.card
        let generation = camera.watch.watch(GateRequest.Kind.allCases.map { GateRequest($0) }, of: Self.subject)
        try camera.show(10)
        #expect(camera.watch.scores().allSatisfy { $0.holds && ($0.score ?? 0) >= $0.threshold })
        try camera.show(200)
        let told = await camera.told()
        #expect(
            told.map(\.kind) == [.steady, .focus, .light, .present]
                || Set(told.map(\.kind)).count == 4 && told.count == 4)
        #expect(told.allSatisfy { $0.holds && !$0.isOff && $0.hint == nil && $0.generation == generation })
    }

    @Test("shake is told at once, and that it is over")
    func shake() async throws {
        var camera = try await WatchedCamera(GateWatch())
        camera.watch.watch([GateRequest(.steady)])
        try camera.show(10)
        try camera.show(1, x: 70)
        let scores = camera.watch.scores()
        #expect(scores.first?.holds == false && (scores.first?.score ?? 1) < 0.4 && scores.first?.threshold == 0.5)
        try camera.show(20, x: 70)
        let told = await camera.told()
        #expect(told.map(\.holds) == [true, false, true])
        #expect(told.map(\.hint) == [nil, .holdStill, nil])
    }

    @Test("a threshold is what a score has to reach", arguments: [(0.3, true), (0.5, false), (0.8, false), (0, true)])
    func thresholds(threshold: Double, holds: Bool) async throws {
        var camera = try await WatchedCamera(GateWatch())
        var request = GateRequest(.steady)
        request.threshold = threshold
        camera.watch.watch([request])
        try camera.show(8)
        // 8 pixels are 1.6 times what is let pass at 0.5, and 0.7 times what is at 0.3.
        try camera.show(1, x: 68)
        let score = try #require(camera.watch.scores().first)
        #expect(score.holds == holds && score.threshold == threshold)
        #expect(abs((score.score ?? 0) - 5 / 13.0) < 0.03, "\(score)")
    }

    @Test("no card asks for one, a card on the outline is there, a small one is to come closer")
    func cards() async throws {
        var camera = try await WatchedCamera(GateWatch())
        camera.watch.watch([GateRequest(.present)], of: Self.subject)
        try camera.show(10)
        camera.card = Self.card
        try camera.show(10)
        camera.card = PixelBox(x: 152, y: 82, width: 336, height: 196)
        try camera.show(10)
        let told = await camera.told()
        #expect(told.map(\.hint).first == .lineUp && told.map(\.hint).last == .closer)
        #expect(told.map(\.holds).contains(true) && told.last?.holds == false)
    }

    @Test("what cannot be judged is off, holds, and says why")
    func off() async throws {
        let camera = try await WatchedCamera(GateWatch())
        camera.watch.watch([GateRequest(.present)], of: nil)
        camera.watch.watch([GateRequest(.present)], of: GateSubject(presence: .nothing, boundary: []))
        camera.watch.watch([GateRequest(.present)], of: GateSubject(presence: .edges, boundary: []))
        let generation = camera.watch.watch([GateRequest(.steady), GateRequest(.light)])
        let info = try VideoInfo(format: "P010_10LE", width: 64, height: 64)
        for _ in 0..<3 {
            camera.watch.look(at: try Buffer([UInt8](repeating: 0, count: info.byteCount)), info, taken: nil)
        }
        #expect(camera.watch.scores().allSatisfy { $0.isOff && $0.holds && $0.score == nil })
        let told = await camera.told()
        #expect(told.count == 5 && told.allSatisfy { $0.isOff && $0.holds })
        #expect(
            told.map(\.reason).prefix(3) == [
                "there is no outline", "the outline does not say what to look for (data-present)",
                "the outline has no closed shape on the preview",
            ])
        #expect(
            told.filter { $0.generation == generation }.map(\.reason) == [
                "frames in P010_10LE cannot be measured", "frames in P010_10LE cannot be measured",
            ])
    }

    @Test("a new stage begins anew, with findings of its own; nothing asked for is nothing told")
    func stages() async throws {
        var camera = try await WatchedCamera(GateWatch())
        try camera.show(20)
        let first = camera.watch.watch([GateRequest(.steady)])
        try camera.show(8)
        let second = camera.watch.watch([GateRequest(.steady)])
        #expect(camera.watch.scores().allSatisfy { $0.score == nil && !$0.holds })
        // Elsewhere: what was seen before is of the stage before.
        try camera.show(8, x: 100)
        camera.watch.watch([])
        try camera.show(8, x: 60)
        #expect(camera.watch.scores().isEmpty)
        let told = await camera.told()
        #expect(told.map(\.generation) == [first, second] && told.allSatisfy(\.holds))
    }

    @Test("another camera, or other frames, are no shake")
    func cameras() async throws {
        var camera = try await WatchedCamera(GateWatch())
        let info = try WatchedCamera.info.get()
        camera.watch.watch([GateRequest(.steady)])
        try camera.show(8)
        camera.watch.meet(info, info)
        try camera.show(12, x: 100)
        #expect(await camera.told().map(\.holds) == [true])
    }

    @Test(
        "frames come at any rate: jolts are found, a slow drift is none",
        arguments: [10, 12, 15, 20, 25, 30, 50, 60, 120])
    func rates(rate: Int) async throws {
        var camera = try await WatchedCamera(GateWatch())
        camera.interval = .nanoseconds(1_000_000_000 / rate)
        camera.watch.watch([GateRequest(.steady)])
        // 30 pixels a second, three seconds long.
        for frame in 0..<rate * 3 { try camera.show(1, x: 10 + frame * 30 / rate) }
        #expect(await camera.told().map(\.holds) == [true])
        camera.watch.watch([GateRequest(.steady)])
        try camera.show(rate * 2 / 3 + 10)
        try camera.show(max(1, rate / 30) * 2, x: 72)
        #expect(camera.watch.scores().first?.holds == false)
    }
}

// MARK: - An accelerometer

extension GateWatchTests {
    @Test("what an accelerometer feels is shake, too, though the picture stands still")
    func accelerometer() async throws {
        let sensor = try Sensor()
        let camera = try await WatchedCamera(GateWatch(accelerometer: .folder(sensor.path)))
        camera.watch.watch([GateRequest(.steady)])
        let frames = Frames(of: camera)
        defer { frames.stop() }
        var told = camera.watch.findings.makeAsyncIterator()
        #expect(await told.next()?.holds == true)
        try sensor.write(300)
        let shake = await told.next()
        #expect(shake?.holds == false && shake?.hint == .holdStill && shake?.reason == nil)
        try sensor.write(0)
        #expect(await told.next()?.holds == true)
    }

    @Test("without the accelerometer that was asked for, the picture judges alone, and it says so")
    func unreadable() async throws {
        let camera = try await WatchedCamera(GateWatch(accelerometer: .folder("/nonexistent")))
        camera.watch.watch([GateRequest(.steady)])
        let frames = Frames(of: camera)
        defer { frames.stop() }
        for await finding in camera.watch.findings where finding.reason != nil {
            #expect(finding.holds && !finding.isOff)
            #expect(finding.reason == "the accelerometer in /nonexistent cannot be read")
            break
        }
    }

    /// Frames that come for as long as they are wanted.
    struct Frames {
        private let task: Task<Void, any Error>

        init(of camera: WatchedCamera) {
            task = Task {
                var camera = camera
                while !Task.isCancelled {
                    try camera.show(1)
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }

        init(_ frame: Buffer, _ info: VideoInfo, to watch: GateWatch) {
            task = Task {
                while !Task.isCancelled {
                    watch.look(at: frame, info, taken: nil)
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }

        func stop() { task.cancel() }
    }

    /// A sensor's files.
    private struct Sensor {
        let folder: TemporaryFolder
        var path: String { folder.path }

        init() throws {
            folder = try TemporaryFolder()
            try folder.write("in_accel_scale", "0.0078125\n")
            for axis in ["y", "z"] { try folder.write("in_accel_\(axis)_raw", axis == "z" ? "1280\n" : "0\n") }
            try write(0)
        }

        /// At once, as the kernel changes it: a reader finds one value or the other.
        func write(_ level: Int) throws {
            let file = URL(filePath: path + "/in_accel_x_raw")
            try "\(level)\n".write(to: file, atomically: true, encoding: .utf8)
        }
    }
}

// MARK: - Faces

extension GateWatchTests {
    @Test(
        "a face in the outline is found, and its absence said",
        .enabled(if: GStreamer.hasElement(FaceGate.element), "gstreamer1.0-opencv is missing; run scripts/setup test"))
    func faces() async throws {
        let watch = GateWatch()
        // Where the portrait has its face.
        let face = [(0.3, 0.15), (0.75, 0.15), (0.75, 0.6), (0.3, 0.6)].map { PixelPoint($0.0, $0.1) }
        watch.watch([GateRequest(.present)], of: GateSubject(presence: .face(width: 1), boundary: face))
        let portrait = try await Photograph()
        let frames = Frames(try Buffer(portrait.levels), try portrait.info, to: watch)
        var told = watch.findings.makeAsyncIterator()
        let found = try #require(await told.next())
        #expect(found.holds && !found.isOff && (found.score.score ?? 0) > 0.5, "\(found)")
        frames.stop()
        let upsideDown = Frames(try Buffer(portrait.levels.reversed()), try portrait.info, to: watch)
        defer { upsideDown.stop() }
        let lost = try #require(await told.next())
        #expect(!lost.holds && lost.hint == .faceTheCamera, "\(lost)")
    }

    @Test(
        "where no faces can be looked for, it is off, and says what to install",
        .enabled(if: !GStreamer.hasElement(FaceGate.element), "optional: gstreamer1.0-opencv is installed"))
    func noFaces() async throws {
        let watch = GateWatch()
        watch.watch(
            [GateRequest(.present)], of: GateSubject(presence: .face(width: 1), boundary: Self.boundary(of: Self.card)))
        let finding = await watch.findings.first { _ in true }
        #expect(finding?.isOff == true && finding?.reason?.contains("install gstreamer1.0-opencv") == true)
    }
}
