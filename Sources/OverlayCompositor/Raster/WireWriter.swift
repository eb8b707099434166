// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Encodes values in this machine's memory layout: both ends run on the same machine.
package struct WireWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ value: Double) { put(value.bitPattern) }

    package mutating func put(_ value: Bool) { put(UInt8(value ? 1 : 0)) }

    /// Appends the number of bytes, then the bytes.
    package mutating func put(_ data: [UInt8]) {
        put(UInt32(clamping: data.count))
        bytes.append(contentsOf: data)
    }

    package mutating func put(_ text: String) { put(Array(text.utf8)) }

    /// Appends the number of pixels, then the pixels.
    package mutating func put(_ pixels: [UInt32]) {
        put(UInt32(clamping: pixels.count))
        pixels.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Appends whether there is a value, then the value.
    package mutating func put<Value>(_ value: Value?, _ put: (inout WireWriter, Value) -> Void) {
        self.put(value != nil)
        if let value { put(&self, value) }
    }
}
