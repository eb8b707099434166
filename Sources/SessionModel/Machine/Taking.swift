// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

/// A picture of a session from its request to its record. Pure.
///
/// The state machine requests it, a camera or the library provides a ``SessionShot`` for it, and the record of both is a
/// ``SessionStill``.
package struct Taking: Sendable, Hashable {
    /// A picture of a library, and how it is moved under the outline.
    package struct LibraryFile: Sendable, Hashable {
        /// The content of the file if it was uploaded, or else its path.
        package enum Source: Sendable, Hashable {
            case path(String)
            case bytes([UInt8])
        }

        package let source: Source
        package var adjustment: CropAdjustment

        package init(source: Source, adjustment: CropAdjustment = CropAdjustment()) {
            (self.source, self.adjustment) = (source, adjustment)
        }
    }

    /// The number of the picture, from 1.
    package let number: Int
    /// The stage, counted from 0.
    package let stage: Int
    /// The role of the camera; `nil` for a picture from the library.
    package let role: CameraRole?
    /// The roles of the cameras that capture the same moment.
    package var besides: [CameraRole] = []
    /// The moment of the picture: the end of its countdown, or the moment of the request for one from the library.
    package let zero: ClockTime
    /// The picture of the library; `nil` for the next one, and for a picture from a camera.
    package var file: LibraryFile?
    /// The results of the gates at zero; empty before that, and for a picture from the library.
    package var scores: [GateScore] = []
    /// The place of the picture on the preview at zero; `nil` before that, and for a picture that was not previewed.
    package var geometry: StillGeometry?
}
