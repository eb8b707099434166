// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import SessionKit

/// Measures the cost of gates for each frame of a preview, compared with a copy of the luma: while the camera is held
/// still, and while it shakes, which makes the gate `steady` search for each part of the picture.
@main
enum GateBench {
    private static let width = 640, height = 360
    private static let rounds = 400

    static func main() throws {
        let info = try VideoInfo(format: "I420", width: width, height: height)
        let scene = Scene(width: width, height: height)
        let still = try (0..<8).map { try Buffer(scene.frame(x: 0, y: 0, noise: UInt64($0))) }
        let shaken = try (0..<8).map { try Buffer(scene.frame(x: $0 * 13 % 40, y: $0 * 7 % 24, noise: UInt64($0))) }
        let copy = measureCopy(scene.frame(x: 0, y: 0, noise: 0))
        print("gates, a frame of \(width) × \(height), medians of \(rounds)")
        print("  memcpy of the luma       \(copy.text)")
        report("held still", measure(still, info), copy)
        report("shaken", measure(shaken, info), copy)
    }

    private static func report(_ name: String, _ cost: Cost, _ copy: Duration) {
        let (whole, ratio) = (cost.all.median, (cost.all.median / copy).rounded())
        print("  \(name): all four         \(whole.text)   (\(ratio) x the memcpy)")
        print("    seeing and sharpness   \(cost.view.median.text)")
        print("    steady                 \(cost.steady.median.text)")
        print("    focus and light        \(cost.rest.median.text)")
        print("    aligned with a card    \(cost.aligned.median.text)")
    }

    /// The durations of each part, frame by frame.
    private struct Cost {
        var view: [Duration] = [], steady: [Duration] = [], rest: [Duration] = []
        var aligned: [Duration] = []
        var all: [Duration] { zip(zip(view, steady), zip(rest, aligned)).map { $0.0 + $0.1 + $1.0 + $1.1 } }
    }

    private static func measure(_ frames: [Buffer], _ info: VideoInfo) -> Cost {
        var (view, steady, focus, light) = (GateView(), SteadyGate(), FocusGate(), LightGate())
        var aligned = AlignedGate(outline: PixelBox(x: 132, y: 62, width: 376, height: 236).corners.corners)
        var (cost, passed) = (Cost(), 0)
        let clock = ContinuousClock()
        for round in 0..<rounds {
            cost.view.append(clock.measure { passed += view.look(at: frames[round % frames.count], info) ? 1 : 0 })
            cost.steady.append(clock.measure { passed += steady.add(view.luma).passes ? 1 : 0 })
            cost.rest.append(
                clock.measure {
                    passed += focus.add(view.sharpness).passes ? 1 : 0
                    passed += light.add(view.luma).passes ? 1 : 0
                })
            cost.aligned.append(clock.measure { passed += aligned.add(view.luma).passes ? 1 : 0 })
        }
        precondition(passed > 0)
        return cost
    }

    private static func measureCopy(_ frame: [UInt8]) -> Duration {
        let count = width * height
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        defer { target.deallocate() }
        let clock = ContinuousClock()
        let spans = (0..<rounds).map { _ in
            clock.measure {
                frame.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }
        return spans.median
    }
}

extension [Duration] {
    var median: Duration { sorted()[count / 2] }
}

extension Duration {
    /// The duration in microseconds, to a tenth.
    var text: String {
        let tenths = (Double(components.attoseconds) / 1e11).rounded() / 10
        return "\(Double(components.seconds) * 1e6 + tenths) µs"
    }
}
