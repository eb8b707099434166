// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Decodes values from untrusted bytes. It never reads beyond their end, and allocates no memory for missing bytes.
package struct WireReader {
    /// The bytes are not a valid message.
    package struct Malformed: Error {
        package init() {}
    }

    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// `true` if all bytes were read.
    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(Malformed) -> Value {
        var value = Value.zero
        let taken = try readBytes(MemoryLayout<Value>.size)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: taken) }
        return value
    }

    package mutating func double() throws(Malformed) -> Double { Double(bitPattern: try integer()) }

    package mutating func bool() throws(Malformed) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Malformed()
        }
    }

    package mutating func data() throws(Malformed) -> [UInt8] {
        let count = try integer(UInt32.self)
        return Array(try readBytes(Int(count)))
    }

    package mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    package mutating func pixels() throws(Malformed) -> [UInt32] {
        let count = Int(try integer(UInt32.self))
        let taken = try readBytes(count * MemoryLayout<UInt32>.size)
        // All empty arrays share one buffer, which must not be written.
        guard count > 0 else { return [] }
        return [UInt32](unsafeUninitializedCapacity: count) { pixels, initialized in
            UnsafeMutableRawBufferPointer(pixels).copyBytes(from: taken)
            initialized = count
        }
    }

    package mutating func optional<Value>(
        _ read: (inout WireReader) throws(Malformed) -> Value
    ) throws(Malformed) -> Value? {
        try bool() ? try read(&self) : nil
    }

    private mutating func readBytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
