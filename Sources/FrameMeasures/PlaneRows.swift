// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The rows of a plane in two frames of the same format and size, whose memory layouts may differ.
///
/// It has pointers to the bytes: they are valid only until the closure that lends the bytes returns.
package struct PlaneRows {
    private let sourceBase: UnsafePointer<UInt8>, targetBase: UnsafeMutablePointer<UInt8>
    private let sourceStride: Int, targetStride: Int
    /// The number of rows.
    let count: Int
    /// Bytes per row.
    let length: Int

    /// Returns `nil` if the planes differ in size, or one is empty.
    init?(
        _ source: UnsafeRawBufferPointer, _ sourceLayout: PlaneLayout, _ target: UnsafeMutableRawBufferPointer,
        _ targetLayout: PlaneLayout
    ) {
        guard sourceLayout.rows == targetLayout.rows, sourceLayout.rowBytes == targetLayout.rowBytes,
            let sourceBase = source.assumingMemoryBound(to: UInt8.self).baseAddress,
            let targetBase = target.assumingMemoryBound(to: UInt8.self).baseAddress
        else { return nil }
        (self.sourceBase, self.targetBase) = (sourceBase, targetBase)
        (sourceStride, targetStride) = (sourceLayout.stride, targetLayout.stride)
        (count, length) = (sourceLayout.rows, sourceLayout.rowBytes)
    }

    func source(_ row: Int) -> UnsafePointer<UInt8> { sourceBase + row * sourceStride }
    func target(_ row: Int) -> UnsafeMutablePointer<UInt8> { targetBase + row * targetStride }

    /// Copies all rows unchanged.
    package func copy() {
        for row in 0..<count { target(row).update(from: source(row), count: length) }
    }
}
