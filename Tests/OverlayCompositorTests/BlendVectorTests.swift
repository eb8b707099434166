// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import OverlayCompositor

@Suite struct `A blend of bytes` {
    @Test func `A transparent blend keeps each byte, and an opaque blend replaces it`() {
        let (stay, replace) = (BlendStep(keep: 1, add: 0), BlendStep(keep: 0, add: 200))
        for byte in UInt8.min...UInt8.max {
            #expect(stay.apply(to: byte) == byte)
            #expect(replace.apply(to: byte) == 200)
        }
    }

    @Test func `A blended byte differs from the exact value by less than 0.78 code values`() {
        var generator = SeededGenerator(1)
        for _ in 0..<20_000 {
            let keep = Float.random(in: 0...1, using: &generator)
            let add = Float.random(in: 0...(1 - keep) * 255, using: &generator)
            let byte = UInt8.random(in: 0...255, using: &generator)
            let value = Float(byte) * keep + add
            #expect(abs(Float(BlendStep(keep: keep, add: add).apply(to: byte)) - value) < 0.78)
        }
    }

    @Test func `A blend of a vector has the same result as a blend of each byte`() {
        var generator = SeededGenerator(2)
        for _ in 0..<200 {
            let steps = (0..<BlendVector.width).map { _ in
                let keep = Float.random(in: 0...1, using: &generator)
                return BlendStep(keep: keep, add: Float.random(in: 0...(1 - keep) * 255, using: &generator))
            }
            var vector = BlendVector.identity
            for (index, step) in steps.enumerated() { vector.set(index, step) }
            let bytes = (0..<BlendVector.width).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // At an odd address, as occurs with chroma and lines.
            var room = [0] + bytes
            room.withUnsafeMutableBytes { memory in
                if let start = memory.baseAddress { BlendVector.apply(vector.keep, vector.add, to: start + 1) }
            }
            #expect(Array(room[1...]) == zip(bytes, steps).map { $1.apply(to: $0) })
        }
    }
}
