// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor
import PipelineKit
import StillKit

/// How frames are shown to viewers of live pictures. A property that is `nil` gets a value that suits the camera.
package struct LiveRequest: Sendable, Hashable {
    /// The width and the height in pixels, after turning. If one is `nil`, the proportions stay.
    package var width: Int?, height: Int?
    /// JPEG quality, 1 to 100.
    package var quality: Int?
    /// `true` to mirror the pictures; layers on them are not mirrored.
    package var isMirrored = false
    /// `true` to draw the camera's layers of `overlay`.
    package var hasLayers = false

    /// Creates a request with default values.
    package init() {}

    /// `true` if a JPEG of the camera can be used as it is.
    fileprivate var isPlain: Bool {
        width == nil && height == nil && quality == nil && !isMirrored && !hasLayers
    }
}

/// A JPEG for viewers.
package struct LivePicture: Sendable {
    package let bytes: [UInt8]
    /// When the frame was captured.
    package let time: WallTime
    /// Notices about the encoder since the last picture.
    package let notices: [Notice]
}

/// Encodes frames of a camera as JPEG for viewers.
///
/// A JPEG of the camera is passed through if the request changes nothing; only missing Huffman tables are added. Other
/// frames are scaled, turned, mirrored and encoded in a separate pipeline, and layers are drawn on a copy, so the camera's
/// frames stay as they are. The pipeline is built with the first frame, and again when the format changes. Call
/// ``close()`` at the end.
///
/// One frame at a time: the next call of ``encode(_:)`` must wait for the previous one.
package actor LiveEncoder {
    private let request: LiveRequest
    private let orientation: Orientation
    private let cameraName: String
    private let output: StillEncoder
    private let burnIn: BurnIn?
    private var lens: Lens?
    private var count = 0

    /// A pipeline that decodes, scales, turns and mirrors frames of one format.
    private struct Lens {
        let caps: Caps
        /// Prepares the pipeline for a frame.
        let follow: @Sendable (Sample) -> Void
        let line: EncoderLine
    }

    /// Creates an encoder; it builds no pipeline yet.
    ///
    /// - Parameters:
    ///   - configuration: The camera's orientation and layers.
    ///   - rasterizer: Draws layers; without it, pictures have none.
    package init(_ request: LiveRequest, of configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)?) {
        self.request = request
        (orientation, cameraName) = (configuration.orientation, configuration.cameraName)
        output = request.encoder
        var drawing = configuration
        // Frames are upright before layers are drawn.
        (drawing.burnIn, drawing.orientation) = (request.hasLayers ? configuration.overlay : [], .upright)
        burnIn = BurnIn(drawing, rasterizer)
    }

    /// Encodes a frame.
    ///
    /// - Returns: `nil` if the frame is damaged.
    /// - Throws: `CaptureError` if the frame cannot be encoded, or if the task is canceled.
    package func encode(_ frame: Frame) async throws(CaptureError) -> LivePicture? {
        guard frame.sample.buffer?.isCorrupted != true, await frame.isWhole() else { return nil }
        let isJPEG = frame.sample.caps?.structures.first?.name == "image/jpeg"
        let isDone = isJPEG && request.isPlain && orientation == .upright
        let bytes = isDone ? try passThrough(frame.sample) : try await convert(frame, isJPEG: isJPEG)
        count += 1
        return LivePicture(bytes: bytes, time: frame.captured, notices: output.drainNotices())
    }

    /// Stops the pipelines.
    package func close() {
        lens?.line.close()
        lens = nil
        output.close()
        burnIn?.close()
    }
}

extension LiveEncoder {
    private func passThrough(_ sample: Sample) throws(CaptureError) -> [UInt8] {
        do {
            return JPEGPicture.addingTables(to: try sample.buffer?.bytes() ?? [])
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be read: \(error)")
        }
    }

    private func convert(_ frame: Frame, isJPEG: Bool) async throws(CaptureError) -> [UInt8] {
        var sample = frame.sample
        if isJPEG || needsLens { sample = try await show(sample) }
        if let burnIn {
            sample = try await burnIn.draw(
                on: sample,
                BurnIn.Facts(time: frame.captured, sequence: count, camera: cameraName, offset: .zero))
            // A layer that cannot be drawn is left out.
            _ = burnIn.drainNotices()
        }
        return try await output.encode(sample).bytes
    }

    private var needsLens: Bool {
        request.width != nil || request.height != nil || request.isMirrored || orientation != .upright
    }

    private func show(_ sample: Sample) async throws(CaptureError) -> Sample {
        guard let caps = sample.caps else {
            throw CaptureError(.configuration, "the source does not declare the format of its frames")
        }
        let lens = try await lens(for: caps)
        lens.follow(sample)
        do throws(CaptureError) {
            return try await lens.line.encode(sample)
        } catch {
            // A late result could belong to the next frame.
            lens.line.close()
            self.lens = nil
            throw error
        }
    }

    private func lens(for caps: Caps) async throws(CaptureError) -> Lens {
        if let lens, lens.caps == caps { return lens }
        lens?.line.close()
        lens = nil
        let steps = FrameSteps(request.size, from: caps, orientation)
        var follow: (@Sendable (Sample) -> Void)?
        let line = try await EncoderLine(elements: steps.elements, caps) { (pipeline) throws(PipelineError) in
            follow = try steps.follow(pipeline)
        }
        guard let follow else { throw CaptureError(.software, "live pictures have no pipeline") }
        let lens = Lens(caps: caps, follow: follow, line: line)
        self.lens = lens
        return lens
    }
}

/// Paints the pictures that replace the frames of a lost camera.
package struct LivePainter: Sendable {
    private let request: LiveRequest
    private let painter: StandInPainter

    /// - Parameter rasterizer: Draws the text; without it, pictures have none.
    package init(_ request: LiveRequest, _ rasterizer: (any Rasterizer)?) {
        (self.request, painter) = (request, StandInPainter(rasterizer))
    }

    /// Returns a JPEG with a text on a picture, blurred.
    ///
    /// - Parameter background: A JPEG; `nil` for black.
    /// - Throws: `CaptureError` if the picture cannot be painted or encoded.
    package func paint(_ text: String, over background: [UInt8]?) async throws(CaptureError) -> [UInt8] {
        let (decoder, encoder) = (Self.decoder, request.encoder)
        defer {
            decoder.close()
            encoder.close()
        }
        var ground: Sample?
        if let jpeg = background.flatMap(Self.sample) { ground = try? await decoder.convert(jpeg) }
        let painted: Sample
        do {
            painted = try await painter.paint(
                OverlayContents([.standIn(text)]), over: .blurred, ground, PreviewSize(of: request.size, .upright))
        } catch {
            throw CaptureError(.software, "a picture cannot be painted: \(error)")
        }
        return try await encoder.encode(painted).bytes
    }

    private static var decoder: StillEncoder {
        StillEncoder(format: .raw, quality: 100, orientation: .upright, isDrawable: OverlayPlan.takes)
    }

    private static func sample(ofJPEG bytes: [UInt8]) -> Sample? {
        guard let caps = try? Caps("image/jpeg"), let buffer = try? Buffer(bytes) else { return nil }
        return Sample(buffer, caps: caps)
    }
}

extension LiveRequest {
    fileprivate var encoder: StillEncoder {
        StillEncoder(
            format: .jpeg, quality: quality ?? 80, orientation: .upright, hardware: .shared, isExact: quality != nil)
    }

    /// The size and the mirroring as those of a preview.
    fileprivate var size: PreviewRequest {
        var preview = PreviewRequest()
        (preview.width, preview.height, preview.isMirrored) = (width, height, isMirrored)
        return preview
    }
}
