// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import GateKit

/// Harder footage, which also served to choose the gate's rules: other pictures, more noise, lamps that flicker,
/// exposure that runs up and down, people who walk in and out.
@Suite("Detecting shake in harder footage", .enabled(if: Photograph.isInstalled, Photograph.advice))
struct SteadyGateSoakTests {
    private static let variables = ProcessInfo.processInfo.environment

    /// Seconds of footage of each picture; 600 to check the promised rates.
    private static let seconds = variables["GATE_SECONDS"].flatMap(Int.init) ?? 20

    /// More photographs: JPEG files of at least 640 x 427 pixels, separated by colons. They need structure beside the
    /// walker: in front of a plain wall only the walker is visible, and all that the camera sees does move.
    private static let others = (variables["GATE_PHOTOGRAPHS"] ?? "").split(separator: ":").map(String.init)

    private static let recording = Task {
        var photographs = [try await Photograph().reversed]
        for path in others { photographs.append(try await Photograph(path: path)) }
        return photographs.map { Footage($0, noise: 3, seed: 77) }
    }

    @Test("A person who walks past, a flickering lamp and changing exposure are not shake")
    func walking() async throws {
        for (number, recorded) in try await Self.recording.value.enumerated() {
            var (footage, generator) = (recorded, SplitMix(UInt64(91 + number)))
            var (gate, alarms) = (SteadyGate(), [String]())
            var (x, y) = (0, 0)
            for frame in 0..<Self.seconds * 30 {
                // The camera stands in another place every seven seconds, with a new gate.
                if frame % 210 == 0 {
                    (x, y) = Self.place(in: footage, &generator)
                    gate = SteadyGate()
                }
                let time = Double(frame) / 30
                let picture = footage.frame(x: x, y: y, Self.walker(time, footage), Self.light(time, &generator))
                let verdict = gate.add(picture)
                if !verdict.passes { alarms.append("\(frame): \(verdict.score) \(gate.motion.map { "\($0)" } ?? "-")") }
            }
            #expect(alarms.isEmpty, "picture \(number): \(alarms.count) alarms, \(alarms.prefix(4))")
        }
    }

    @Test("In a still scene, 99% of jolts of 8 pixels and more are found within 3 frames, in any light")
    func jolts() async throws {
        for (number, recorded) in try await Self.recording.value.enumerated() {
            let (missed, count) = Self.missed(in: recorded, number) { _, _ in nil }
            #expect(missed.count * 100 <= count, "picture \(number): \(missed.count) of \(count), \(missed.prefix(4))")
        }
    }

    /// A person who fills a third of the picture and moves with the camera or against it may hide a jolt.
    @Test("While a person walks past, 85% of jolts are found within 3 frames")
    func joltsBehindSomebody() async throws {
        for (number, recorded) in try await Self.recording.value.enumerated() {
            let (missed, count) = Self.missed(in: recorded, number, behind: Self.walker)
            let words = "picture \(number): \(missed.count) of \(count), \(missed.prefix(4))"
            #expect(missed.count * 100 <= count * 15, "\(words)")
        }
    }
}

extension SteadyGateSoakTests {
    private typealias Script = (_ time: Double, _ footage: Footage) -> Footage.Actor?

    /// The jolts that are not found, and the number of all jolts.
    private static func missed(
        in recorded: Footage, _ number: Int, behind script: Script
    ) -> (missed: [String], count: Int) {
        var (footage, generator) = (recorded, SplitMix(UInt64(17 + number)))
        var missed: [String] = []
        for _ in 0..<seconds * 10 {
            let place = place(in: footage, margin: 60, &generator)
            let jolt = (
                length: Double.random(in: 8...50, using: &generator),
                frames: Int.random(in: 1...3, using: &generator),
                angle: Double.random(in: 0..<2 * .pi, using: &generator)
            )
            let time = Double.random(in: 0..<60, using: &generator)
            if !finds(jolt, place, time, &footage, &generator, script) {
                missed.append("\(jolt) at \(place), \(time)")
            }
        }
        return (missed, seconds * 10)
    }
}

extension SteadyGateSoakTests {
    private static func finds(
        _ jolt: (length: Double, frames: Int, angle: Double), _ place: (x: Int, y: Int), _ time: Double,
        _ footage: inout Footage, _ generator: inout SplitMix, _ script: Script
    ) -> Bool {
        var gate = SteadyGate()
        for frame in -5...3 {
            let length = jolt.length * min(1, max(0, Double(frame) / Double(jolt.frames)))
            let (x, y) = (Int((cos(jolt.angle) * length).rounded()), Int((sin(jolt.angle) * length).rounded()))
            let now = time + Double(frame) / 30
            let picture = footage.frame(
                x: place.x + x, y: place.y + y, script(now, footage)?.seen(from: x, y), light(now, &generator))
            let passes = gate.add(picture).passes
            if frame > 0, !passes { return true }
        }
        return false
    }

    private static func place(
        in footage: Footage, margin: Int = 0, _ generator: inout SplitMix
    ) -> (x: Int, y: Int) {
        let (x, y) = footage.farthest
        return (
            Int.random(in: margin...max(margin, x - margin), using: &generator),
            Int.random(in: margin...max(margin, y - margin), using: &generator)
        )
    }

    /// A person who enters from the left, stops and nods, leaves to the right, and stays away: 13 seconds in all.
    private static func walker(_ time: Double, _ footage: Footage) -> Footage.Actor? {
        let way = time.truncatingRemainder(dividingBy: 13)
        let (width, height) = (56, 74)
        let left: Double
        switch way {
        case ..<4: left = -56 + way * 27
        case ..<7: left = 52 + 4 * sin(way * 5)
        case ..<11: left = 52 + (way - 7) * 27
        default: return nil
        }
        let (from, to) = (max(0, Int(left)), min(160, Int(left) + width))
        guard to - from > 0 else { return nil }
        let top = Int(12 + 4 * sin(way * 9))
        return Footage.Actor(
            x: 100 + max(0, -Int(left)) * 4, y: min(200, footage.farthest.y), left: from, top: top, width: to - from,
            height: height)
    }

    /// A lamp that flickers from frame to frame and in bands, while exposure runs from dark to bright and back.
    private static func light(_ time: Double, _ generator: inout SplitMix) -> Footage.Light {
        let ramp = 0.8 + 0.45 * sin(time * 1.7)
        return Footage.Light(
            gain: ramp * .random(in: 0.93...1.07, using: &generator), bands: 0.2, phase: time * 11.9)
    }
}

extension Footage.Actor {
    /// The actor as a pushed camera sees it: it moves in the picture as the background does.
    fileprivate func seen(from x: Int, _ y: Int) -> Footage.Actor? {
        var seen = self
        // Whole squares of the gates' pixels move the place; the remainder moves the content.
        let (across, down) = ((Double(x) / 4).rounded(.down), (Double(y) / 4).rounded(.down))
        seen.left = max(0, left - Int(across))
        seen.top = max(0, min(top - Int(down), Footage.height - 1))
        seen.width = min(width, Footage.width - seen.left)
        seen.height = min(height, Footage.height - seen.top)
        guard seen.width > 0, seen.height > 0 else { return nil }
        seen.x = self.x + x - Int(across) * 4
        seen.y = self.y + y - Int(down) * 4
        return seen
    }
}
