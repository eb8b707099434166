// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Elements in gst-launch syntax for an option that also accepts short names. The last element is a sink.
package enum SinkElements {
    /// Checks that the elements can be created, before anything is opened for them.
    ///
    /// - Parameters:
    ///   - element: The element before them.
    ///   - option: The option that accepts them, and these short names.
    /// - Throws: ``CaptureError`` `.configuration` with the option as its subject.
    package static func check(
        _ elements: String, behind element: String, of option: String, or names: [String]
    ) throws(CaptureError) {
        do throws(PipelineError) {
            _ = try Pipeline("\(element) ! \(elements)")
        } catch {
            throw CaptureError(
                .configuration, error.message, subject: option,
                advice: error.advice ?? "give \(names.alternatives), or elements that end in a sink")
        }
    }
}
