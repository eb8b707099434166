// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit

extension SessionOutline {
    /// Creates the record of a session's outline at its standard place.
    init(_ name: String, on geometry: StillGeometry) {
        self.init(
            name: name, position: SessionComposer.outlinePosition, size: SessionComposer.outlineSize,
            previewWidth: geometry.previewWidth, previewHeight: geometry.previewHeight, picture: geometry.picture)
        isMirrored = geometry.isMirrored
    }
}
