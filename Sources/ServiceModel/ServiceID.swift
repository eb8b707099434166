// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit

/// The rules for IDs, which are parts of URLs and of folders' names.
package enum ServiceID {
    /// The rule in words.
    package static let advice = "use up to 64 letters, digits, - and _, as it is a part of URLs"

    /// `true` if a text is an ID.
    package static func isValid(_ text: String) -> Bool { ServedCamera.isID(text) }
}
