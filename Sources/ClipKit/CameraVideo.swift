// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import PipelineKit
import StillKit
import Synchronization
import VideoKit

/// The pictures of an open camera as H.264: for clips, and for live viewers.
package struct CameraVideo: Sendable {
    /// The size, the bit rate and the encoder.
    package let format: ClipFormat
    /// The encoder with its units.
    package let encoder: VideoEncoder
    private let overlay: Overlay?
    private let follower: FrameFollower

    /// Starts to encode the pictures of a camera.
    ///
    /// - Parameters:
    ///   - camera: The configuration of the camera, whose orientation and layers to burn in count.
    ///   - rasterizer: Draws the layers that are burnt in; without it, there are none.
    ///   - encoders: The encoders of the machine.
    /// - Returns: `nil` if the camera closed before its first frame.
    /// - Throws: `CaptureError` if no encoder works, or the pictures cannot be encoded.
    package static func open(
        _ session: CameraSession, of camera: CaptureConfiguration, _ settings: VideoSettings,
        _ rasterizer: (any Rasterizer)?, encoders: EncoderCatalog = .shared
    ) async throws(CaptureError) -> CameraVideo? {
        do {
            guard let caps = try await session.outlet.branch().nextSample()?.caps else { return nil }
            return try await CameraVideo(session, caps, camera, settings, rasterizer, encoders)
        } catch {
            throw CaptureError(ofEncoder: error)
        }
    }

    /// Prepares the encoding of frames that were kept, see ``encode(_:)``.
    ///
    /// - Parameter caps: The format of the frames.
    /// - Throws: As ``open(_:of:_:_:)``.
    static func ofKeptFrames(
        _ caps: Caps, of camera: CaptureConfiguration, _ settings: VideoSettings, _ rasterizer: (any Rasterizer)?
    ) async throws(CaptureError) -> CameraVideo {
        do {
            return try await CameraVideo(nil, caps, camera, settings, rasterizer, .shared)
        } catch {
            throw CaptureError(ofEncoder: error)
        }
    }

    /// - Parameter session: The open camera; `nil` for frames that were kept.
    private init(
        _ session: CameraSession?, _ caps: Caps, _ camera: CaptureConfiguration, _ video: VideoSettings,
        _ rasterizer: (any Rasterizer)?, _ encoders: EncoderCatalog
    ) async throws {
        let encoder = try await encoders.encoder(video.encoder, for: caps)
        let orientation = camera.orientation
        let size = Self.size(of: caps, orientation, video)
        var request = PreviewRequest()
        (request.width, request.height) = (size.width, size.height)
        let steps = FrameSteps(request, from: caps, orientation)
        let rate = video.frameRate.map { Double($0.numerator) / Double($0.denominator) }
        let bitRate = video.bitRate ?? Self.bitRate(size, rate ?? caps.frameRate ?? 30)
        var settings = EncoderSettings()
        settings.bitRate = bitRate
        let description = VideoEncoder.Description(
            encoder, settings, steps: encoder == .camera ? [] : steps.elements, rate: rate)
        let overlay = camera.burnIn.isEmpty || encoder == .camera ? nil : rasterizer.map(Overlay.init)
        let follower = FrameFollower()
        (self.overlay, self.follower) = (overlay, follower)
        self.encoder = try VideoEncoder(
            description, of: session?.outlet,
            moment: { sample in
                follower.follow(sample)
                return session?.frame(of: sample).time ?? .now
            },
            prepare: { (pipeline) throws(PipelineError) in
                guard encoder != .camera else { return }
                follower.set(try steps.follow(pipeline))
                if let pad = try pipeline.element(named: FrameSteps.overlayName).pad("src") {
                    try overlay?.attach(to: pad)
                }
            })
        overlay?.show(
            camera.burnIn, appearance: camera.appearance, ["camera": camera.cameraName])
        format = ClipFormat(width: size.width, height: size.height, bitRate: bitRate, encoder: encoder.name)
        try await self.encoder.start()
    }

    /// Encodes frames that were kept, in the order of their times. Call it once.
    ///
    /// - Returns: The units, with the times of their frames. A damaged frame has none.
    func encode(_ frames: [EncodedUnit]) async throws(CaptureError) -> [EncodedUnit] {
        if let first = frames.first { follower.follow(first.sample) }
        do throws(PipelineError) {
            return try await encoder.encode(frames)
        } catch {
            throw CaptureError(ofEncoder: error)
        }
    }

    /// Ends the pictures. When this returns, the encoder holds no frame of the camera.
    package func close() async {
        await encoder.close()
        await overlay?.close()
    }

    /// Returns the size of the video: the requested one, or that of the frames. H.264 in 4:2:0 needs even numbers.
    private static func size(
        of caps: Caps, _ orientation: Orientation, _ video: VideoSettings
    ) -> PreviewSize {
        let frame = caps.structures.first
        let limit = video.limit
        let (width, height): (Int, Int) = (frame?["width"] ?? limit.width, frame?["height"] ?? limit.height)
        let camera = PreviewSize(width: width, height: height).turned(by: orientation)
        let (wide, high) = (Double(camera.width), Double(camera.height))
        switch (video.width, video.height) {
        case (let width?, let height?): return PreviewSize(width: even(Double(width)), height: even(Double(height)))
        case (let width?, nil): return scaled(wide, high, by: Double(width) / wide)
        case (nil, let height?): return scaled(wide, high, by: Double(height) / high)
        case (nil, nil):
            let fit = min(Double(limit.width) / max(wide, high), Double(limit.height) / min(wide, high))
            return scaled(wide, high, by: min(1, fit))
        }
    }

    private static func scaled(_ width: Double, _ height: Double, by scale: Double) -> PreviewSize {
        PreviewSize(width: even(width * scale), height: even(height * scale))
    }

    private static func even(_ length: Double) -> Int { max(2, Int((length / 2).rounded()) * 2) }

    /// A rate at which pictures of this size look good: 0.1 bits a pixel.
    private static func bitRate(_ size: PreviewSize, _ rate: Double) -> Int {
        let bits = Double(size.width * size.height) * min(rate, 120) * 0.1
        return min(20_000_000, max(300_000, Int(bits / 100_000) * 100_000))
    }
}

extension CaptureError {
    fileprivate init(ofEncoder error: any Error) {
        switch error {
        case let error as CaptureError: self = error
        case let error as PipelineError: self.init(error, subject: "the encoder")
        default: self.init(.software, "\(error)", subject: "the encoder")
        }
    }
}

extension Caps {
    /// Frames a second; `nil` if the caps do not state it.
    fileprivate var frameRate: Double? {
        guard let rate: Fraction = structures.first?["framerate"], rate.numerator > 0, rate.denominator > 0 else {
            return nil
        }
        return Double(rate.numerator) / Double(rate.denominator)
    }
}

/// Passes the tags of frames to a pipeline, which is made after the function that sees the frames.
private final class FrameFollower: Sendable {
    private let body = Mutex<(@Sendable (Sample) -> Void)?>(nil)

    func set(_ body: @escaping @Sendable (Sample) -> Void) { self.body.withLock { $0 = body } }

    func follow(_ sample: Sample) { body.withLock { $0 }?(sample) }
}
