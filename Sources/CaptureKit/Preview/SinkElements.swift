// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Elements in gst-launch syntax that an option takes in place of a short name, the last of which is a sink.
enum SinkElements {
    /// Looks whether they are some, before anything is opened for them.
    ///
    /// - Parameters:
    ///   - element: What they are linked behind.
    ///   - option: What takes them, and these short names.
    /// - Throws: ``CaptureError`` `.configuration` with the option as its subject.
    static func check(
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
