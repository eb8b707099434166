// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit
import VideoKit

/// Makes ordinary MP4 files of recordings that a crash has cut off.
struct ClipCheck {
    private let files: [String]
    private let isJSON: Bool

    init(_ files: [String], asJSON isJSON: Bool) { (self.files, self.isJSON) = (files, isJSON) }

    /// Repairs the files, one after the other, and reports each.
    ///
    /// - Throws: ``ExitStatus`` of the first file that cannot be repaired.
    func run() async throws {
        var status = ExitStatus.success
        for file in files {
            do throws(CaptureError) {
                let report = try await BlockingWork.run { () throws(CaptureError) in try ClipFile.finalize(file) }
                show(report, file)
            } catch {
                if status == .success { status = ExitStatus(error) }
                if isJSON { StandardStream.output.line(JSONValue.event("error", ["error": error.json]).text) }
                Console().report(error)
            }
        }
        if status != .success { throw status }
    }

    private func show(_ report: ClipFile.Report, _ file: String) {
        guard isJSON else {
            StandardStream.output.line(file)
            return Console().report(words(report))
        }
        let frames = report.tracks.first { $0.id == FragmentWriter.Track.video.rawValue }?.sampleCount
        StandardStream.output.line(
            JSONValue.event(
                "checked",
                [
                    "file": .string(file), "repaired": .bool(!report.wasOrdinary), "cut_off": .bool(report.isCutOff),
                    "duration_ms": .milliseconds(report.duration), "frames": frames.map(JSONValue.integer),
                ]
            ).text)
    }

    private func words(_ report: ClipFile.Report) -> String {
        let length = Wording.span(report.duration)
        if report.wasOrdinary { return "whole: \(length)" }
        return "repaired: \(length)" + (report.isCutOff ? ", without the picture that was cut off" : "")
    }
}
