// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc
import OverlayRaster
import Testing

@testable import OverlayCompositor
@testable import PipelineKit

/// Compares with GStreamer's own blending, which `overlaycomposition` and `textoverlay` use.
///
/// The lines are white: for colored lines, GStreamer takes the chroma of one pixel of each group, while we take the
/// mean of all, so that the edges differ (41 dB).
@Suite struct `Blended frames` {
    @Test(arguments: ["I420", "NV12", "YUY2", "UYVY", "Y444", "RGB", "BGRx", "ARGB"])
    func `Blended frames look like those that GStreamer blends`(format: String) async throws {
        let info = try VideoInfo(format: format, width: 640, height: 360)
        let planner = OverlayPlanner(CairoRasterizer())
        let result = try await planner.plan(OverlayContents([try face()]), at: 0, for: info)
        #expect(result.failures.isEmpty)
        let image = try #require(await drawn())
        let pool = try FramePool(info)
        let ours = try pool.makeFrame { frame in
            Self.fill(&frame)
            result.plan.blend(into: &frame)
        }
        let theirs = try pool.makeFrame { Self.fill(&$0) }
        try Self.blend(image, onto: theirs, info)
        let (ourBytes, theirBytes) = (try ours.bytes(), try theirs.bytes())
        #expect(ourBytes != (try pool.makeFrame { Self.fill(&$0) }.bytes()), "something is drawn")
        let ratio = Self.ratio(ourBytes, theirBytes) { Self.holdsAComponent(format, $0) }
        #expect(ratio > 45)
    }

    /// The planner's image, drawn once more.
    private func drawn() async throws -> RasterImage? {
        let scene = LayerScene(width: 640, height: 360, appearance: Style(), values: [:], unixTime: 0)
        let layer = try face()
        let request = try layer.request(in: scene) { path throws(OverlayError) in try LayerFile(path, before: nil).bytes
        }
        return try await CairoRasterizer().rasterize(request)
    }

    private let file = try? ScratchFile(
        ".svg",
        ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><g fill="none" stroke-width="0.2">"##
            + ##"<ellipse cx="8" cy="4.5" rx="2.6" ry="3.6" stroke="#fff"/><path d="M2 8L6 1L14 7" stroke="currentColor"/></g></svg>"##
    )

    private func face() throws -> Layer {
        Layer("face", .outline(Outline(name: "face", path: try #require(file).path)))
    }

    /// Soft gradients, as in photographs.
    private static func fill(_ frame: inout WritableVideoFrame) {
        for plane in 0..<frame.planeCount {
            frame.withPlane(plane) { bytes, layout in
                bytes.withUnsafeMutableBytes { bytes in
                    for index in bytes.indices {
                        let (row, column) = (index / layout.stride, index % layout.stride)
                        bytes[index] = UInt8(40 + (row + column / 4 + plane * 30) % 160)
                    }
                }
            }
        }
    }

    private static func blend(_ image: RasterImage, onto buffer: Buffer, _ info: VideoInfo) throws {
        let pixels = try Buffer(image.pixels.flatMap { pixel in (0..<4).map { UInt8(pixel >> ($0 * 8) & 0xFF) } })
        gst_buffer_add_video_meta(
            pixels.pointer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, guint(image.width), guint(image.height))
        let rectangle = gst_video_overlay_rectangle_new_raw(
            pixels.pointer, gint(image.x), gint(image.y), guint(image.width), guint(image.height),
            GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA)
        let composition = gst_video_overlay_composition_new(rectangle)
        var (frame, raw) = (GstVideoFrame(), info.raw)
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        try #require(gst_video_frame_map(&frame, &raw, buffer.pointer, access) != 0)
        #expect(gst_video_overlay_composition_blend(composition, &frame) != 0)
        gst_video_frame_unmap(&frame)
        gst_mini_object_unref(UnsafeMutableRawPointer(composition)?.assumingMemoryBound(to: GstMiniObject.self))
        gst_mini_object_unref(UnsafeMutableRawPointer(rectangle)?.assumingMemoryBound(to: GstMiniObject.self))
    }

    /// GStreamer also writes the padding.
    private static func holdsAComponent(_ format: String, _ index: Int) -> Bool { format != "BGRx" || index % 4 != 3 }

    /// The peak signal-to-noise ratio, in decibels.
    private static func ratio(_ first: [UInt8], _ second: [UInt8], where counts: (Int) -> Bool) -> Double {
        let squares = first.indices.filter(counts).reduce(0.0) { sum, index in
            let difference = Double(first[index]) - Double(second[index])
            return sum + difference * difference
        }
        return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(first.count) / squares)
    }
}

@Suite struct `A frame with crop metadata` {
    @Test func `The layers of a frame with crop metadata lie on its visible part`() async throws {
        let stream = try await OverlaidStream(
            "appsrc name=in caps=video/x-raw,format=I420,width=161,height=121,framerate=30/1 "
                + "! capsfilter name=overlay ! appsink name=out sync=false")
        let input = try AppSource(named: "in", in: stream.pipeline)
        stream.overlay.show([try stream.whiteRectangle(0, 0, 1, 1)])
        // The visible part has the layer's aspect of 4 to 3, and begins in the middle of a group of chroma.
        let part = CropRectangle(x: 41, y: 31, width: 80, height: 60)
        let pushing = Task {
            while !Task.isCancelled {
                try input.push(try Self.frame(part))
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let frame = try #require(try await stream.luma { $0[80, 60] > 200 })
        #expect([frame[41, 31], frame[120, 90]] == [235, 235])
        #expect([frame[40, 60], frame[121, 60], frame[80, 30], frame[80, 91]] == [16, 16, 16, 16])
        pushing.cancel()
        try await stream.stop()
    }

    private static func frame(_ part: CropRectangle) throws -> Buffer {
        let info = try VideoInfo(format: "I420", width: 161, height: 121)
        let buffer = try Buffer(repeatElement(16, count: info.byteCount))
        let meta = gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil)
        meta?.withMemoryRebound(to: GstVideoCropMeta.self, capacity: 1) { meta in
            (meta.pointee.x, meta.pointee.y) = (guint(part.x), guint(part.y))
            (meta.pointee.width, meta.pointee.height) = (guint(part.width), guint(part.height))
        }
        return buffer
    }
}
