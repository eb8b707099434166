// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Testing

@testable import PipelineKit

@Suite("Video frames", .criticalsAreFatal)
struct VideoFrameTests {
    @Test(
        "The planes of a frame are read row by row, odd sizes and padding included",
        arguments: ["I420", "NV12", "YUY2", "BGRx", "RGB"])
    func planes(format: String) throws {
        let info = try VideoInfo(format: format, width: 7, height: 5)
        let buffer = try Buffer((0..<info.byteCount).map { UInt8(truncatingIfNeeded: $0) })
        try buffer.withVideoFrame(info) { frame in
            #expect(frame.planeCount == info.planeCount)
            #expect(frame.info == info)
            for index in 0..<frame.planeCount {
                let read = frame.withPlane(index) { bytes, layout in
                    #expect(layout == info.plane(index))
                    #expect(bytes.byteCount == layout.stride * (layout.rows - 1) + layout.rowBytes)
                    return (0..<layout.rows).map {
                        bytes.unsafeLoad(fromByteOffset: $0 * layout.stride, as: UInt8.self)
                    }
                }
                let plane = try #require(info.plane(index))
                #expect(read == (0..<plane.rows).map { UInt8(truncatingIfNeeded: plane.offset + $0 * plane.stride) })
            }
            #expect(frame.withPlane(frame.planeCount) { _, _ in } == nil)
            #expect(frame.withPlane(-1) { _, _ in } == nil)
        }
    }

    @Test("A buffer that is too short for the format throws", arguments: [0, 1, 151])
    func tooShort(count: Int) throws {
        let info = try VideoInfo(format: "I420", width: 16, height: 8)
        let buffer = try Buffer(Array(repeating: 0, count: count))
        #expect(failure { try buffer.withVideoFrame(info) { _ in } }?.code == .map)
    }

    @Test("A buffer's own strides take precedence over those of the format")
    func ownLayout() throws {
        let info = try VideoInfo(format: "GRAY8", width: 4, height: 3)
        let buffer = try Buffer(Array(0..<64))
        buffer.setLayout(GST_VIDEO_FORMAT_GRAY8, width: 4, height: 3, offset: 2, stride: 16)
        try buffer.withVideoFrame(info) { frame in
            let rows = frame.withPlane(0) { bytes, layout in
                #expect(layout.stride == 16)
                return (0..<layout.rows).map { bytes.unsafeLoad(fromByteOffset: $0 * layout.stride, as: UInt8.self) }
            }
            #expect(rows == [2, 18, 34])
        }
    }

    @Test("A layout that contradicts the format throws, and one beyond the memory has no plane")
    func wrongLayout() throws {
        let (small, large) = (
            try VideoInfo(format: "GRAY8", width: 4, height: 3), try VideoInfo(format: "GRAY8", width: 64, height: 48)
        )
        let buffer = try Buffer(Array(repeating: 0, count: 64))
        buffer.setLayout(GST_VIDEO_FORMAT_GRAY8, width: 4, height: 3, offset: 0, stride: 1000)
        #expect(failure { try buffer.withVideoFrame(large) { _ in } }?.code == .map)
        #expect(
            failure { try buffer.withVideoFrame(VideoInfo(format: "BGRx", width: 4, height: 3)) { _ in } }?.code == .map
        )
        #expect(try buffer.withVideoFrame(small) { $0.withPlane(0) { _, _ in } } == nil)
    }

    @Test("A frame whose memory lacks rows is neither copied nor converted", arguments: [true, false])
    func lacksRows(isCopied: Bool) throws {
        let info = try VideoInfo(format: "GRAY8", width: 4, height: 3)
        let buffer = try Buffer(Array(repeating: 0, count: 64))
        buffer.setLayout(GST_VIDEO_FORMAT_GRAY8, width: 4, height: 3, offset: 0, stride: 1000)
        _ = try FramePool(info).makeFrame { frame in
            let error = try buffer.withVideoFrame(info) { source in
                do throws(PipelineError) {
                    if isCopied { try frame.copy(source) } else { try frame.fill(with: source) }
                    return PipelineError?.none
                } catch {
                    return error
                }
            }
            #expect(error?.code == .map)
        }
    }

    @Test(
        "Copying a frame of another format or size throws and leaves the target as it was",
        arguments: [("BGRx", 16, 8), ("I420", 8, 8), ("I420", 32, 8), ("I420", 16, 6), ("I420", 16, 10)])
    func copiesOnlyEqualFrames(format: String, width: Int, height: Int) throws {
        let info = try VideoInfo(format: "I420", width: 16, height: 8)
        let other = try VideoInfo(format: format, width: width, height: height)
        let equal = try Buffer(Array(repeating: 9, count: info.byteCount))
        let source = try Buffer(Array(repeating: 7, count: other.byteCount))
        let target = try FramePool(info).makeFrame { frame in
            try equal.withVideoFrame(info) { try frame.copy($0) }
            let error = try source.withVideoFrame(other) { source in
                do throws(PipelineError) {
                    try frame.copy(source)
                    return PipelineError?.none
                } catch {
                    return error
                }
            }
            #expect(error?.code == .map)
        }
        #expect(try target.withBytes { bytes in bytes.withUnsafeBytes { $0.allSatisfy { $0 == 9 } } })
    }
}

extension Buffer {
    /// Sets the real layout of the frame, as drivers do (`gst_buffer_add_video_meta_full`).
    fileprivate func setLayout(_ format: GstVideoFormat, width: Int, height: Int, offset: Int, stride: Int) {
        var offsets = [gsize(offset), 0, 0, 0]
        var strides = [gint(stride), 0, 0, 0]
        gst_buffer_add_video_meta_full(
            pointer, GST_VIDEO_FRAME_FLAG_NONE, format, guint(width), guint(height), 1, &offsets, &strides)
    }
}
