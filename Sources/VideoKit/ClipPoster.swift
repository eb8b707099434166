// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The first picture of a movie, as a JPEG for lists.
package enum ClipPoster {
    /// The decoders of H.264, in the order of preference.
    private static let decoders = ["openh264dec", "avdec_h264"]

    /// Decodes the first picture of an MP4 file.
    ///
    /// - Parameter width: The maximum width in pixels. A smaller picture keeps its size.
    /// - Throws: `CaptureError` with the path: `configuration` without a decoder; `inputOutput` if the file cannot be read,
    ///   or has no picture; `temporary` if the task is canceled.
    package static func jpeg(of path: String, width: Int) async throws(CaptureError) -> [UInt8] {
        guard let decoder = decoders.first(where: GStreamer.hasElement) else {
            throw CaptureError(
                .configuration, "no decoder of H.264 is installed", subject: path,
                advice: "install gstreamer1.0-plugins-bad")
        }
        do {
            // jpegenc takes video levels of YCbCr for those of a JPEG, which would be gray instead of white. RGB has one
            // kind of levels.
            let color = "format=RGB"
            let pipeline = try Pipeline(
                """
                filesrc name=file ! qtdemux ! h264parse ! \(decoder) ! videoconvert ! videoscale
                ! capsfilter name=size caps="video/x-raw,\(color),width=[1,\(width)],pixel-aspect-ratio=1/1"
                ! jpegenc quality=80 ! appsink name=picture sync=false
                """)
            try pipeline.element(named: "file").set("location", to: path)
            let sink = try AppSink(named: "picture", in: pipeline, .waitWhenHolding(1))
            try await pipeline.play()
            let picture = try? await sink.nextSample()?.buffer?.bytes()
            try? await pipeline.stop()
            guard let picture else { throw noPicture(path) }
            return picture
        } catch let error as CaptureError {
            throw error
        } catch {
            throw noPicture(path)
        }
    }

    private static func noPicture(_ path: String) -> CaptureError {
        Task.isCancelled
            ? CaptureError(.temporary, "the request was canceled", subject: path)
            : CaptureError(.inputOutput, "has no picture that can be decoded", subject: path)
    }
}
