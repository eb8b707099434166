// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import FrameMeasures
import PipelineKit

@testable import GateKit

/// A camera in front of a photograph, whose frames a watch judges: 640 × 360, gray.
struct WatchedCamera {
    static let size = PreviewSize(width: 640, height: 360)
    static let info = Result { try VideoInfo(format: "GRAY8", width: size.width, height: size.height) }

    private static let photographing = Task { try await Photograph() }

    let watch: GateWatch
    private let photograph: Photograph
    private(set) var time = ClockTime.zero + .seconds(100)
    /// The time from one frame to the next.
    var interval = Duration.nanoseconds(33_333_333)
    /// A card in front of the photograph, in pixels of the preview.
    var card: PixelBox?
    private var made: [String: Buffer] = [:]

    init(_ watch: GateWatch) async throws {
        self.watch = watch
        photograph = try await Self.photographing.value
    }

    /// Shows frames, seen from a place in the photograph.
    mutating func show(_ count: Int, x: Int = 60, y: Int = 240) throws {
        let info = try Self.info.get()
        for _ in 0..<count {
            time = time + interval
            watch.look(at: try frame(x, y), info, taken: time)
        }
    }

    /// Returns all findings so far. It replaces the gates that are watched.
    func findings() async -> [GateFinding] {
        // Without an outline this gate is off at once: its finding marks the end.
        let end = watch.watch([GateRequest(.present)])
        var findings: [GateFinding] = []
        for await finding in watch.findings {
            if finding.generation == end { break }
            findings.append(finding)
        }
        return findings
    }

    private mutating func frame(_ x: Int, _ y: Int) throws -> Buffer {
        let key = "\(x) \(y) \(card.map { "\($0)" } ?? "")"
        if let frame = made[key] { return frame }
        var levels: [UInt8] = []
        for row in 0..<Self.size.height {
            let start = (y + row) * photograph.width + x
            levels += photograph.levels[start..<start + Self.size.width]
        }
        if let card {
            for row in Int(card.y)..<Int(card.y + card.height) {
                for column in Int(card.x)..<Int(card.x + card.width) {
                    levels[row * Self.size.width + column] = (row / 9 + column / 13) % 7 == 0 ? 150 : 235
                }
            }
        }
        let frame = try Buffer(levels)
        made[key] = frame
        return frame
    }
}
