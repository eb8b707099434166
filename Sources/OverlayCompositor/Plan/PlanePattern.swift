// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The layout of a plane: groups of pixels follow one another, and each group has the same kinds of bytes.
struct PlanePattern: Sendable, Hashable {
    /// The component in a byte.
    enum Component: Sendable, Hashable {
        case luma, blueDifference, redDifference
        case red, green, blue, alpha
        /// No component; the byte stays unchanged.
        case padding
    }

    /// A byte of a group.
    struct Sample: Sendable, Hashable {
        let component: Component
        /// The column of the byte's pixel in the group; `nil` if the byte stands for all pixels of the group.
        let column: Int?
    }

    /// The number of pixels in each row of a group.
    let columns: Int
    /// The number of rows of pixels in a group.
    let rows: Int
    /// The bytes of a group.
    let samples: [Sample]
}

extension PlanePattern {
    /// Returns the planes of a format, in memory order; `nil` if overlays cannot be drawn on it: each sample has to be
    /// one byte.
    static func planes(of layout: SampleLayout) -> [PlanePattern]? {
        guard layout.components.allSatisfy({ $0.depth == 8 }) else { return nil }
        let planes = (0..<layout.planeCount).compactMap { PlanePattern(plane: $0, of: layout) }
        return planes.count == layout.planeCount ? planes : nil
    }

    /// Creates the pattern of a plane; `nil` if the plane's components do not share groups of pixels.
    private init?(plane: Int, of layout: SampleLayout) {
        let kinds: [Component] =
            layout.isRGB ? [.red, .green, .blue, .alpha] : [.luma, .blueDifference, .redDifference, .alpha]
        let parts = zip(layout.components, kinds).filter { $0.0.plane == plane }
        guard let widest = parts.map(\.0).max(by: { $0.columns < $1.columns }) else { return nil }
        let (columns, rows, count) = (widest.columns, widest.rows, widest.pixelStride)
        var samples = [Sample](repeating: Sample(component: .padding, column: nil), count: count)
        for (part, component) in parts {
            let isForAll = part.columns == columns
            guard part.rows == rows, isForAll || part.columns == 1 && rows == 1, part.offset < part.pixelStride,
                columns / part.columns * part.pixelStride == count
            else { return nil }
            for column in 0..<columns / part.columns {
                samples[part.offset + column * part.pixelStride] = Sample(
                    component: component, column: isForAll ? nil : column)
            }
        }
        (self.columns, self.rows, self.samples) = (columns, rows, samples)
    }
}
