// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase
import VideoKit

extension Thumbnails {
    /// Returns the first picture of a clip as a JPEG of up to ``width`` pixels.
    ///
    /// - Parameter owner: Distinguishes the clips of its camera, or series, from others.
    /// - Throws: `CaptureError` `.noInput` if the clip has no file that can be played, and as ``thumbnail(of:)``.
    public func poster(of clip: StoredClip, _ owner: String) async throws(CaptureError) -> [UInt8] {
        guard clip.isPlayable else { throw .notPlayable(clip) }
        return try await poster(of: "clip \(clip.id)", tag: "\(owner)-\(clip.tag)", width: Self.width) {
            () throws(CaptureError) in try clip.open()
        }
    }

    /// Returns the first picture of a movie as a JPEG.
    ///
    /// - Parameters:
    ///   - id: The name of the movie for clients.
    ///   - tag: Identifies the content of the movie.
    ///   - width: The maximum width, in pixels.
    ///   - open: Opens the file. Blocks.
    /// - Throws: As ``thumbnail(of:)``.
    package func poster(
        of id: String, tag: String, width: Int, open: @escaping @Sendable () throws(CaptureError) -> RegularFile
    ) async throws(CaptureError) -> [UInt8] {
        try await picture("\(tag)-\(width)") { () throws(CaptureError) in
            let movie = try await BlockingWork.run { () throws(CaptureError) in OpenMovie(try open()) }
            do throws(CaptureError) {
                return try await ClipPoster.jpeg(of: movie.path, width: width)
            } catch {
                // Clients see no paths.
                throw error.about(id)
            }
        }
    }
}

/// A movie that stays open while GStreamer reads it by its path.
private final class OpenMovie: Sendable {
    private let file: RegularFile
    var path: String { file.linkPath }

    init(_ file: consuming RegularFile) { self.file = file }
}

extension StoredClip {
    /// Identifies the content of its file.
    public var tag: String { "clip-\(id)-\(byteCount ?? 0)" }

    /// Opens its file. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if it has none that can be played.
    package func open() throws(CaptureError) -> RegularFile {
        guard isPlayable else { throw .notPlayable(self) }
        do throws(RegularFile.Failure) {
            return try RegularFile(path)
        } catch {
            throw CaptureError(.noInput, "the file of the clip cannot be read", subject: "clip \(id)")
        }
    }
}

extension CaptureError {
    fileprivate static func notPlayable(_ clip: StoredClip) -> CaptureError {
        CaptureError(.noInput, "is \(clip.state.rawValue), and has no file to play", subject: "clip \(clip.id)")
    }
}
