// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import FrameMeasures
import Testing

@Suite struct `A simplified line` {
    private let corners = [
        PixelPoint(0, 0), PixelPoint(50, -30), PixelPoint(100, 0), PixelPoint(0, 0.4), PixelPoint(-50, 0.2),
    ]

    @Test func `A simplified line keeps a spur thinner than the tolerance, and drops corners near the line`() {
        #expect(
            Polyline.simplified(closed: corners, within: 1) == [corners[0], corners[1], corners[2], corners[4]])
    }
}
