// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Glibc
import PipelineKit
import SystemBase

/// A silent movie of some seconds, in memory.
package enum ShortMovie {
    /// Returns an ordinary MP4 file with these pictures, which keep their distances.
    ///
    /// - Parameter units: H.264 of one format, from a key frame on.
    /// - Throws: ``CaptureError`` without a subject: `inputOutput` if there is no picture, or the format does not fit into a
    ///   movie; `software` if the first picture is no key frame.
    package static func bytes(_ units: [EncodedUnit]) throws(CaptureError) -> [UInt8] {
        guard let caps = units.first?.sample.caps else {
            throw CaptureError(.inputOutput, "no picture is there for the movie")
        }
        var writer = try FragmentWriter(video: try FragmentWriter.Video(caps))
        var timeline = ClipTimeline(sound: nil)
        var movie = writer.initialization
        for unit in units {
            let bytes = (try? unit.sample.buffer?.bytes()) ?? []
            for picture in try timeline.addPicture(bytes, at: unit.time, isKey: unit.isKey) {
                movie += try writer.fragment(picture)
            }
        }
        if let last = timeline.end() { movie += try writer.fragment(last) }
        return try finalized(movie)
    }

    /// The name of the file in memory; it is seen in `/proc` alone.
    private static let name = "gst-capture-movie"

    private static func finalized(_ fragments: [UInt8]) throws(CaptureError) -> [UInt8] {
        let descriptor = cfile_in_memory(name)
        guard descriptor >= 0 else { throw CaptureError(.inputOutput, "there is no memory for the movie") }
        do throws(CaptureError) {
            try FileBytes.write(fragments, at: 0, to: descriptor, name)
        } catch {
            close(descriptor)
            throw error
        }
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        _ = try ClipFile.finalize(FileBytes(adopting: descriptor, name), name, freeBytes: { _ in nil })
        let movie = FileBytes(adopting: duplicate, name)
        return try movie.bytes(0..<movie.byteCount)
    }
}
