// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import Foundation
import FrameMeasures
import PipelineKit
import PresetKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import GateKit

extension LiveFrames {
    @Suite("Gates on live frames", .enabled(if: Photograph.isInstalled, Photograph.advice), .timeLimit(.minutes(5)))
    struct GateWatchTests {
        /// A card in the middle of the preview.
        private static let card = PixelBox(x: 132, y: 62, width: 376, height: 236)
        private static let subject = GateSubject(presence: .edges, boundary: boundary(of: card))

        private static func boundary(of box: PixelBox) -> [PixelPoint] {
            box.corners.corners.map { PixelPoint($0.x / 640, $0.y / 360) }
        }

        @Test("Each gate is reported once within ten frames, and then only when it changes")
        func once() async throws {
            var camera = try await WatchedCamera(GateWatch())
            camera.card = Self.card
            let generation = camera.watch.watch(GateRequest.Kind.allCases.map { GateRequest($0) }, of: Self.subject)
            try camera.show(10)
            #expect(camera.watch.scores().allSatisfy { $0.holds && ($0.score ?? 0) >= $0.threshold })
            try camera.show(200)
            let findings = await camera.findings()
            #expect(
                findings.map(\.kind) == [.steady, .focus, .light, .present]
                    || Set(findings.map(\.kind)).count == 4 && findings.count == 4)
            #expect(findings.allSatisfy { $0.holds && !$0.isOff && $0.hint == nil && $0.generation == generation })
        }

        @Test("Shake is reported at its first frame, and its end is reported, too")
        func shake() async throws {
            var camera = try await WatchedCamera(GateWatch())
            camera.watch.watch([GateRequest(.steady)])
            try camera.show(10)
            try camera.show(1, x: 70)
            let scores = camera.watch.scores()
            #expect(scores.first?.holds == false && (scores.first?.score ?? 1) < 0.4 && scores.first?.threshold == 0.5)
            try camera.show(20, x: 70)
            let findings = await camera.findings()
            #expect(findings.map(\.holds) == [true, false, true])
            #expect(findings.map(\.hint) == [nil, .holdStill, nil])
        }

        @Test(
            "A gate holds at or above its threshold", arguments: [(0.3, true), (0.5, false), (0.8, false), (0, true)])
        func thresholds(threshold: Double, holds: Bool) async throws {
            var camera = try await WatchedCamera(GateWatch())
            var request = GateRequest(.steady)
            request.threshold = threshold
            camera.watch.watch([request])
            try camera.show(8)
            // 8 pixels are 1.6 times the motion that passes at 0.5, and 0.7 times the motion that passes at 0.3.
            try camera.show(1, x: 68)
            let score = try #require(camera.watch.scores().first)
            #expect(score.holds == holds && score.threshold == threshold)
            #expect(abs((score.score ?? 0) - 5 / 13.0) < 0.03, "\(score)")
        }

        @Test("The gate holds for a card on the outline, and gives a hint if the card is missing or small")
        func cards() async throws {
            var camera = try await WatchedCamera(GateWatch())
            camera.watch.watch([GateRequest(.present)], of: Self.subject)
            try camera.show(10)
            camera.card = Self.card
            try camera.show(10)
            camera.card = PixelBox(x: 152, y: 82, width: 336, height: 196)
            try camera.show(10)
            let findings = await camera.findings()
            #expect(findings.map(\.hint).first == .lineUp && findings.map(\.hint).last == .closer)
            #expect(findings.map(\.holds).contains(true) && findings.last?.holds == false)
        }

        @Test("A gate that cannot be judged is off, holds, and gives the reason")
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
            let findings = await camera.findings()
            #expect(findings.count == 5 && findings.allSatisfy { $0.isOff && $0.holds })
            #expect(
                findings.map(\.reason).prefix(3) == [
                    "there is no outline", "the outline does not say what to look for (data-present)",
                    "the outline has no closed shape on the preview",
                ])
            #expect(
                findings.filter { $0.generation == generation }.map(\.reason) == [
                    "frames in P010_10LE cannot be measured", "frames in P010_10LE cannot be measured",
                ])
        }

        @Test("A face in an outline without a shape is not searched for, and the gate gives the reason")
        func faceWithoutShape() async throws {
            let camera = try await WatchedCamera(GateWatch())
            camera.watch.watch([GateRequest(.present)], of: GateSubject(presence: .face(width: 1), boundary: []))
            let finding = await camera.findings().first
            #expect(finding?.isOff == true && finding?.reason == "the outline has no closed shape on the preview")
        }

        @Test("Closing a watch waits for its helper tasks, also for those of earlier gates")
        func closed() async {
            let watch = GateWatch()
            let ended = Mutex(0)
            for _ in 0..<2 {
                let generation = watch.watch([GateRequest(.steady)])
                watch.employ(generation) { _ in
                    while !Task.isCancelled { await Task.yield() }
                    for _ in 0..<100 { await Task.yield() }
                    ended.withLock { $0 += 1 }
                }
            }
            await watch.close()
            #expect(ended.withLock(\.self) == 2)
        }

        @Test("Each stage has its own scores and findings, and a stage without gates has none")
        func stages() async throws {
            var camera = try await WatchedCamera(GateWatch())
            try camera.show(20)
            let first = camera.watch.watch([GateRequest(.steady)])
            try camera.show(8)
            let second = camera.watch.watch([GateRequest(.steady)])
            #expect(camera.watch.scores().allSatisfy { $0.score == nil && !$0.holds })
            // The camera is in another place, and earlier frames belong to the previous stage.
            try camera.show(8, x: 100)
            camera.watch.watch([])
            try camera.show(8, x: 60)
            #expect(camera.watch.scores().isEmpty)
            let findings = await camera.findings()
            #expect(findings.map(\.generation) == [first, second] && findings.allSatisfy(\.holds))
        }

        @Test("Gates replace only the generation that their caller knows")
        func replaced() {
            let watch = GateWatch()
            let former = watch.watch([])
            let known = watch.watch([GateRequest(.steady)], replacing: former)
            #expect(known == former + 1 && watch.generation == known)
            // Another stage has begun since.
            #expect(watch.watch([GateRequest(.light)], replacing: former) == known)
            #expect(watch.scores().map(\.kind) == [.steady])
        }

        @Test("A change of the camera or of its format is not shake")
        func cameras() async throws {
            var camera = try await WatchedCamera(GateWatch())
            let info = try WatchedCamera.info.get()
            camera.watch.watch([GateRequest(.steady)])
            try camera.show(8)
            camera.watch.setFormats(info, info)
            try camera.show(12, x: 100)
            #expect(await camera.findings().map(\.holds) == [true])
        }

        @Test(
            "At every frame rate jolts are found, and a slow drift is not shake",
            arguments: [10, 12, 15, 20, 25, 30, 50, 60, 120])
        func rates(rate: Int) async throws {
            var camera = try await WatchedCamera(GateWatch())
            camera.interval = .nanoseconds(1_000_000_000 / rate)
            camera.watch.watch([GateRequest(.steady)])
            // 30 pixels a second, three seconds long.
            for frame in 0..<rate * 3 { try camera.show(1, x: 10 + frame * 30 / rate) }
            #expect(await camera.findings().map(\.holds) == [true])
            camera.watch.watch([GateRequest(.steady)])
            try camera.show(rate * 2 / 3 + 10)
            try camera.show(max(1, rate / 30) * 2, x: 72)
            #expect(camera.watch.scores().first?.holds == false)
        }
    }
}

// MARK: - An accelerometer

extension LiveFrames.GateWatchTests {
    @Test("Shake that an accelerometer measures fails the gate, although the picture stands still")
    func accelerometer() async throws {
        let sensor = try Sensor()
        let camera = try await WatchedCamera(GateWatch(accelerometer: .folder(sensor.path)))
        camera.watch.watch([GateRequest(.steady)])
        let frames = Frames(of: camera)
        defer { frames.stop() }
        var findings = camera.watch.findings.makeAsyncIterator()
        #expect(await findings.next()?.holds == true)
        // The picture alone may have given that finding. A reading is shake only if it differs from an earlier one.
        let shaking = Task {
            var level = 0
            while true {
                level = 300 - level
                try sensor.write(level)
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let shake = await findings.next()
        #expect(shake?.holds == false && shake?.hint == .holdStill && shake?.reason == nil)
        shaking.cancel()
        _ = await shaking.result
        try sensor.write(0)
        #expect(await findings.next()?.holds == true)
    }

    @Test("Without the requested accelerometer only the picture is judged, and a finding gives the reason")
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

    /// Frames that arrive until they are stopped.
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

        /// Writes atomically, as the kernel does: a reader finds the old value or the new one.
        func write(_ level: Int) throws {
            let file = URL(filePath: path + "/in_accel_x_raw")
            try "\(level)\n".write(to: file, atomically: true, encoding: .utf8)
        }
    }
}

// MARK: - Faces

extension LiveFrames.GateWatchTests {
    @Test(
        "A face in the outline is found, and its absence is reported",
        .enabled(if: GStreamer.hasElement(FaceGate.element), "gstreamer1.0-opencv is missing; run scripts/setup test"))
    func faces() async throws {
        let watch = GateWatch()
        // The place of the face in the portrait.
        let face = [(0.3, 0.15), (0.75, 0.15), (0.75, 0.6), (0.3, 0.6)].map { PixelPoint($0.0, $0.1) }
        watch.watch([GateRequest(.present)], of: GateSubject(presence: .face(width: 1), boundary: face))
        let portrait = try await Photograph()
        let frames = Frames(try Buffer(portrait.levels), try portrait.info, to: watch)
        var findings = watch.findings.makeAsyncIterator()
        let found = try #require(await findings.next())
        #expect(found.holds && !found.isOff && (found.score.score ?? 0) > 0.5, "\(found)")
        frames.stop()
        let upsideDown = Frames(try Buffer(portrait.levels.reversed()), try portrait.info, to: watch)
        defer { upsideDown.stop() }
        let lost = try #require(await findings.next())
        #expect(!lost.holds && lost.hint == .faceTheCamera, "\(lost)")
    }

    @Test(
        "If faces cannot be detected, the gate is off and names the package to install",
        .enabled(if: !GStreamer.hasElement(FaceGate.element), "optional: gstreamer1.0-opencv is installed"))
    func noFaces() async throws {
        let watch = GateWatch()
        watch.watch(
            [GateRequest(.present)], of: GateSubject(presence: .face(width: 1), boundary: Self.boundary(of: Self.card)))
        let finding = await watch.findings.first { _ in true }
        #expect(finding?.isOff == true && finding?.reason?.contains("install gstreamer1.0-opencv") == true)
    }
}
