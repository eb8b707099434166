// Part of gst-capture. Apache License 2.0, see LICENSE.

/// One layer, or a group of layers that are blended together (``LayerGroups``), prepared for frames of one format.
///
/// It is a class because plans share it: a new plan reuses the parts that did not change.
final class PlanPart: Sendable {
    /// One plan for each plane of the format.
    let planes: [PlanePlan]

    /// Draws images over one another, the first at the bottom. This takes milliseconds.
    init(_ images: [RasterImage], _ format: PlanFormat) {
        planes = format.planes.indices.map { Self.plane($0, images, format) }
    }

    private static func plane(_ index: Int, _ images: [RasterImage], _ format: PlanFormat) -> PlanePlan {
        let pattern = format.planes[index]
        guard let layout = format.info.plane(index) else { return PlanePlan(rowCount: 0, rowBytes: 0) }
        let rasterizer = PlaneRasterizer(format, plane: index)
        let touched = images.map(rasterizer.rows(touchedBy:))
        var plan = PlanePlan(rowCount: layout.rows, rowBytes: layout.rowBytes)
        var bytes = AffineRow(count: layout.rowBytes)
        for row in touched.union.clamped(to: 0..<layout.rows) {
            for (image, rows) in zip(images, touched) where rows.contains(row) {
                rasterizer.draw(image, row: row, into: &bytes)
            }
            plan.add(row, bytes, period: pattern.samples.count)
            bytes.clear()
        }
        return plan
    }
}

extension [Range<Int>] {
    /// The range from the first to the last integer of all ranges.
    fileprivate var union: Range<Int> {
        let filled = filter { !$0.isEmpty }
        guard let first = filled.map(\.lowerBound).min(), let end = filled.map(\.upperBound).max() else { return 0..<0 }
        return first..<end
    }
}
