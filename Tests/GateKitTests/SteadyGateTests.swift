// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import FrameMeasures
@testable import GateKit

@Suite("Detecting shake in the picture", .enabled(if: Photograph.isInstalled, Photograph.advice))
struct SteadyGateTests {
    /// Seconds of footage of a person who moves; 600 to check the promised rate.
    private static let seconds = ProcessInfo.processInfo.environment["GATE_SECONDS"].flatMap(Int.init) ?? 20

    /// The places of the camera in the photograph, in pixels of the preview.
    private static let places: [(x: Int, y: Int)] = [(60, 60), (60, 240), (60, 440)]

    @Test(
        "Motion is measured to a pixel of the preview",
        arguments: [(1, 0), (3, -2), (-9, 4), (17, 12), (-30, -31)])
    func motion(x: Int, y: Int) async throws {
        var footage = try await Footage.recorded
        for place in Self.places {
            var estimator = MotionEstimator()
            estimator.add(footage.frame(x: place.x, y: place.y))
            #expect(estimator.motion(since: 1) == nil)
            estimator.add(footage.frame(x: place.x + x, y: place.y + y))
            let motion = estimator.motion(since: 1)
            let found = try #require(motion)
            // The picture moves left when the camera turns right.
            #expect(abs(found.x + Double(x)) < 1 && abs(found.y + Double(y)) < 1, "\(found)")
            #expect(found.evidence == .strong && found.blocks > 8)
        }
    }

    @Test("Every jolt of 8 pixels and more is found within 3 frames, whether it lasts one, two or three")
    func jolts() async throws {
        var footage = try await Footage.recorded
        var generator = SplitMix(7)
        var (jolts, missed) = (0, [String]())
        for length in [8, 8.5, 9, 10, 12, 16, 24, 40, 56] {
            for place in Self.places {
                for frames in 1...3 {
                    let angle = Double.random(in: 0..<2 * .pi, using: &generator)
                    jolts += 1
                    let jolt = Jolt(length: length, angle: angle, frames: frames)
                    if !finds(jolt, from: place, &footage) { missed.append("\(jolt) from \(place)") }
                }
            }
        }
        #expect(jolts == 81)
        #expect(missed.isEmpty, "\(missed)")
    }

    @Test("A person who moves in front of a still background is not shake, in noise and changing light")
    func gestures() async throws {
        var footage = try await Footage.recorded
        var gate = SteadyGate()
        var alarms: [String] = []
        for frame in 0..<Self.seconds * 30 {
            let time = Double(frame) / 30
            let place = Self.places[frame / 300 % Self.places.count]
            // A camera in another place needs a new gate.
            if frame % 300 == 0 { gate = SteadyGate() }
            let verdict = gate.add(footage.frame(x: place.x, y: place.y, Self.actor(time), Self.light(time)))
            if !verdict.passes { alarms.append("\(frame): \(verdict.score), \(gate.motion.map { "\($0)" } ?? "-")") }
        }
        #expect(alarms.isEmpty, "\(alarms.count) alarms, \(alarms.prefix(5))")
    }

    @Test("Light that goes out, comes on or flashes is not shake")
    func flashes() async throws {
        var footage = try await Footage.recorded
        var gate = SteadyGate()
        for gain in [1, 1, 0, 0, 1, 1, 0.3, 0.3, 1.5, 1, 2, 2, 1] {
            let light = Footage.Light(gain: gain)
            let verdict = gate.add(footage.frame(x: 60, y: 60, nil, light))
            #expect(verdict.passes, "at \(gain): \(verdict.score), \(gate.motion.map { "\($0)" } ?? "-")")
        }
    }

    @Test("The hint stays for some frames after a jolt, and then disappears")
    func hint() async throws {
        var footage = try await Footage.recorded
        var gate = SteadyGate()
        #expect(gate.add(footage.frame(x: 60, y: 60)).passes)
        let jolt = gate.add(footage.frame(x: 80, y: 60))
        #expect(jolt.hint == .holdStill && jolt.score > 19 && jolt.threshold == 5)
        let after = (0..<20).map { _ in gate.add(footage.frame(x: 80, y: 60)).passes }
        #expect(after == (0..<20).map { $0 >= 11 })
    }

    @Test("A uniform picture has no measurable motion, and passes")
    func plain() {
        var (gate, estimator) = (SteadyGate(), MotionEstimator())
        for level in [UInt8(0), 90, 255, 90] {
            let levels = [UInt8](repeating: level, count: 160 * 90)
            let frame = LumaFrame(width: 160, height: 90, scale: 4, levels: levels)
            estimator.add(frame)
            #expect(estimator.motion(since: 1) == nil)
            #expect(gate.add(frame).passes)
        }
    }

    @Test(
        "Pictures of any size are accepted, and a change of size resets the gate",
        arguments: [(0, 0), (1, 1), (3, 90), (16, 16), (25, 25)])
    func sizes(width: Int, height: Int) async throws {
        var footage = try await Footage.recorded
        var gate = SteadyGate()
        for _ in 0..<2 {
            #expect(gate.add(footage.frame(x: 60, y: 60)).passes)
            let levels = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 73) }
            #expect(gate.add(LumaFrame(width: width, height: height, scale: 4, levels: levels)).score == 0)
        }
    }
}

extension SteadyGateTests {
    /// A push of the camera.
    private struct Jolt {
        var length: Double, angle: Double, frames: Int
    }

    private func finds(_ jolt: Jolt, from place: (x: Int, y: Int), _ footage: inout Footage) -> Bool {
        var gate = SteadyGate()
        for _ in 0..<3 { _ = gate.add(footage.frame(x: place.x, y: place.y)) }
        for frame in 1...3 {
            let length = jolt.length * min(1, Double(frame) / Double(jolt.frames))
            let x = place.x + Int((cos(jolt.angle) * length).rounded())
            let y = place.y + Int((sin(jolt.angle) * length).rounded())
            if !gate.add(footage.frame(x: x, y: y)).passes { return true }
        }
        return false
    }

    /// A person who waves, nods and steps to and fro in a third of the picture, up to about 40 preview pixels a frame.
    private static func actor(_ time: Double) -> Footage.Actor {
        let (width, height) = (72, 66)
        let left = Double(160 - width) * (0.5 + 0.5 * sin(time * 2.3) * cos(time * 0.31))
        let top = Double(90 - height) * (0.5 + 0.5 * sin(time * 7.9))
        return Footage.Actor(x: 40, y: 300, left: Int(left), top: Int(top), width: width, height: height)
    }

    /// Light that changes with clouds, and a lamp whose bands move over the picture.
    private static func light(_ time: Double) -> Footage.Light {
        Footage.Light(gain: 0.9 + 0.3 * sin(time / 3), bands: 0.12, phase: time * 7.3)
    }
}
