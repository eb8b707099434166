// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension VideoFrame {
    /// Calls `body` for each plane, with the rows of this frame and of `output`, both of the same format and size.
    ///
    /// - Throws: ``PipelineError/Code/map`` if a plane is missing in either frame, or differs in size; the planes
    ///   before it are already processed.
    package func eachPlane(
        into output: inout WritableVideoFrame, _ body: (_ plane: Int, _ rows: PlaneRows) -> Void
    ) throws(PipelineError) {
        for index in 0..<max(planeCount, output.planeCount) {
            let isWhole = withPlane(index) { source, sourceLayout in
                output.withPlane(index) { target, targetLayout in
                    source.withUnsafeBytes { source in
                        target.withUnsafeMutableBytes { target in
                            let rows = PlaneRows(source, sourceLayout, target, targetLayout)
                            if let rows { body(index, rows) }
                            return rows != nil
                        }
                    }
                }
            }
            guard isWhole == true else { throw PipelineError(.map, "plane \(index) of a frame cannot be mapped") }
        }
    }
}
