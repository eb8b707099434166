// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Random numbers that are the same in each run (SplitMix64), so that failures are reproducible.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension Array where Element == UInt8 {
    /// The bytes with a few of them changed, inserted or removed.
    package func mutated(_ generator: inout SplitMix) -> [UInt8] {
        var bytes = self
        for _ in 0..<Int.random(in: 1...5, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0...5, using: &generator) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(0xFF, at: place)
            case 2: bytes[place] = 0xFF
            default: bytes[place] = .random(in: 0...255, using: &generator)
            }
        }
        return bytes
    }
}
