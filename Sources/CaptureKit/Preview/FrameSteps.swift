// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import StillKit

/// The elements that decode, scale, turn and mirror the frames of a camera in a pipeline that is no preview: one that
/// encodes live pictures or movies.
package struct FrameSteps: Sendable {
    /// The element behind which layers are drawn.
    package static let overlayName = PreviewDescription.overlayName

    private let description: PreviewDescription

    /// - Parameters:
    ///   - request: The size after turning, and the mirroring. Without a width and a height, the size stays.
    ///   - caps: The format of the camera's frames.
    package init(_ request: PreviewRequest, from caps: Caps, _ orientation: Orientation) {
        var request = request
        let frame = caps.structures.first
        if request.width == nil, request.height == nil, let width: Int = frame?["width"],
            let height: Int = frame?["height"]
        {
            let size = PreviewSize(width: width, height: height).turned(by: orientation)
            (request.width, request.height) = (size.width, size.height)
        }
        description = PreviewDescription(request, of: frame?.name == "image/jpeg" ? .jpeg : .raw, orientation)
    }

    /// The elements, in gst-launch syntax.
    package var elements: [String] { description.steps }

    /// Makes the elements follow the format of the frames and their tags.
    ///
    /// - Returns: A function for each frame before the pipeline gets it. It may run on a streaming thread.
    package func follow(_ pipeline: Pipeline) throws(PipelineError) -> @Sendable (Sample) -> Void {
        let turn = try PreviewTurn(description, in: pipeline) { _, _ in }
        try pipeline.element(named: PreviewDescription.entryName).pad("sink")?.probeEvents { event in
            if case .caps(let caps) = event, let info = caps.videoInfo { turn.setFormat(info) }
            return .pass
        }
        return { turn.readTags(of: $0) }
    }
}
