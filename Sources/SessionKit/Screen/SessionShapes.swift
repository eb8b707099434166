// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import PresetKit

/// The outlines of a session; its pictures are cropped to some of them.
public struct SessionShapes: Sendable {
    /// The outlines of the stages, by the names that the stages use.
    let outlines: [String: Outline]
    /// The outlines that pictures are cropped to.
    private let cropped: [Outline]

    /// Finds the outlines.
    ///
    /// - Throws: `CaptureError` if an outline cannot be found or opened.
    public init(_ session: SessionDescription, in library: OutlineLibrary) async throws(CaptureError) {
        let names = Set(session.stages.compactMap(\.outline))
        let outlines = try await BlockingWork.run { () throws(CaptureError) in
            var outlines: [String: Outline] = [:]
            for name in names.sorted() { outlines[name] = try library.outline(name) }
            return outlines
        }
        let croppedNames = Set(session.stages.filter { $0.crop != .none }.compactMap(\.outline))
        self.outlines = outlines
        cropped = croppedNames.sorted().compactMap { outlines[$0] }
    }

    /// Draws the outlines of crops, so that an error is reported before the first picture instead of after it.
    ///
    /// - Throws: `CaptureError` `.configuration` with the outline's file as its subject.
    public func check(by planner: OverlayPlanner) async throws(CaptureError) {
        let geometry = StillGeometry(stillWidth: 640, height: 360)
        for outline in cropped {
            do throws(CaptureError) {
                _ = try await OutlineShape(of: outline, SessionComposer.outlinePlacement, on: geometry, by: planner)
            } catch {
                throw CaptureError(
                    .configuration, error.message, subject: error.subject ?? outline.path, advice: error.advice)
            }
        }
    }
}
