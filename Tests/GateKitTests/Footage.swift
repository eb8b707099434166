// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport

@testable import FrameMeasures

/// Footage of a camera in front of a photograph, 640 × 360 as gates see it. The camera's place is exact to a pixel of
/// the preview. Frames have noise, and may have a person who moves and light that changes.
///
/// The photograph is averaged once for each of the 16 places that a pixel of the preview has in a square of the gates'
/// pixels. A frame is then made by copying rows.
struct Footage: Sendable {
    static let width = 160, height = 90, scale = 4

    /// The averaged photographs, by the place of their first square.
    private var phases: [[UInt8]] = []
    private let columns: Int
    private let rows: Int
    private let noises: [[Int8]]
    private var levels = [UInt8](repeating: 0, count: width * height)
    private var frames = 0

    /// Footage of the installed photograph, made once.
    static var recorded: Footage { get async throws { try await recording.value } }
    private static let recording = Task { Footage(try await Photograph()) }

    /// - Parameter noise: The largest deviation of a pixel of the gates; a preview has four times as much.
    init(_ photograph: Photograph, noise: Int8 = 2, seed: UInt64 = 5) {
        let sums = Self.sums(of: photograph)
        (columns, rows) = (photograph.width / Self.scale - 1, photograph.height / Self.scale - 1)
        for y in 0..<Self.scale {
            for x in 0..<Self.scale { phases.append(Self.phase(of: photograph, sums, x, y, columns, rows)) }
        }
        var generator = SplitMix(seed)
        noises = (0..<8).map { _ in
            (0..<Self.width * Self.height + 997).map { _ in
                // The sum of two uniform distributions favors its middle, as noise does.
                Int8.random(in: -noise...noise, using: &generator) / 2 + .random(in: -noise...noise, using: &generator)
                    / 2
            }
        }
    }

    /// The farthest places to the right and down that a camera can look at, in pixels of the preview.
    var farthest: (x: Int, y: Int) { ((columns - Self.width) * Self.scale, (rows - Self.height) * Self.scale) }

    /// The next frame, seen from a place in the photograph, in pixels of the preview.
    mutating func frame(x: Int, y: Int, _ actor: Actor? = nil, _ light: Light = Light()) -> LumaFrame {
        draw(x, y, to: 0, 0, Self.width, Self.height)
        if let actor { draw(actor.x, actor.y, to: actor.left, actor.top, actor.width, actor.height) }
        expose(light)
        frames += 1
        return LumaFrame(width: Self.width, height: Self.height, scale: Self.scale, levels: levels)
    }

    /// A person in front of the background: a part of the photograph that moves over it, in pixels of the gates.
    struct Actor {
        /// The place in the photograph that the actor shows, in pixels of the preview.
        var x = 0, y = 0
        var left: Int, top: Int, width: Int, height: Int
    }

    /// The brightness, and the part of it that the bands of a flickering lamp take away.
    struct Light {
        var gain = 1.0
        var bands = 0.0
        /// The start of the bands, as a fraction of their period of 27 rows.
        var phase = 0.0
    }

    private mutating func draw(_ x: Int, _ y: Int, to left: Int, _ top: Int, _ width: Int, _ height: Int) {
        let phase = phases[y % Self.scale * Self.scale + x % Self.scale]
        let (column, row) = (x / Self.scale, y / Self.scale)
        levels.withUnsafeMutableBufferPointer { levels in
            phase.withUnsafeBufferPointer { phase in
                guard let source = phase.baseAddress, let target = levels.baseAddress else { return }
                for line in 0..<height {
                    (target + (top + line) * Self.width + left)
                        .update(from: source + (row + line) * columns + column, count: width)
                }
            }
        }
    }

    private mutating func expose(_ light: Light) {
        let noise = noises[frames % noises.count]
        let start = frames &* 131 % 997
        for row in 0..<Self.height {
            let table = Self.table(gain: light.gain * (1 - light.bands * Self.wave(light.phase + Double(row) / 27)))
            levels.withUnsafeMutableBufferPointer { levels in
                noise.withUnsafeBufferPointer { noise in
                    table.withUnsafeBufferPointer { table in
                        var index = row &* Self.width
                        while index < (row &+ 1) &* Self.width {
                            let level = table[Int(levels[index])] &+ Int16(noise[start &+ index])
                            levels[index] = UInt8(truncatingIfNeeded: min(max(level, 0), 255))
                            index &+= 1
                        }
                    }
                }
            }
        }
    }
}

extension Footage {
    /// A triangle wave between 0 and 1.
    private static func wave(_ phase: Double) -> Double { abs((phase - phase.rounded(.down)) * 2 - 1) }

    private static func table(gain: Double) -> [Int16] { tables[min(max(Int((gain * 100).rounded()), 0), 200)] }

    private static let tables: [[Int16]] = (0...200).map { percent in (0..<256).map { Int16($0 * percent / 100) } }

    /// The sums of all pixels above and to the left of each.
    private static func sums(of photograph: Photograph) -> [Int32] {
        let width = photograph.width + 1
        var sums = [Int32](repeating: 0, count: width * (photograph.height + 1))
        for y in 0..<photograph.height {
            var row = Int32(0)
            for x in 0..<photograph.width {
                row &+= Int32(photograph.levels[y &* photograph.width &+ x])
                sums[(y &+ 1) &* width &+ x &+ 1] = sums[y &* width &+ x &+ 1] &+ row
            }
        }
        return sums
    }

    private static func phase(
        of photograph: Photograph, _ sums: [Int32], _ x: Int, _ y: Int, _ columns: Int, _ rows: Int
    ) -> [UInt8] {
        let width = photograph.width + 1
        var levels = [UInt8](repeating: 0, count: columns * rows)
        for row in 0..<rows {
            let top = (y &+ row &* scale) &* width &+ x
            let bottom = top &+ scale &* width
            for column in 0..<columns {
                let left = column &* scale
                let right = left &+ scale
                let sum = sums[bottom &+ right] &- sums[bottom &+ left] &- sums[top &+ right] &+ sums[top &+ left]
                levels[row &* columns &+ column] = UInt8((sum &+ 8) / 16)
            }
        }
        return levels
    }
}
