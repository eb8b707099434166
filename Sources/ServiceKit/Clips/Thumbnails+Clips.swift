// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import VideoKit

extension Thumbnails {
    /// Returns the first picture of a clip as a JPEG of up to ``width`` pixels.
    ///
    /// - Parameter camera: The ID of the camera.
    /// - Throws: `CaptureError` `.noInput` if the clip has no file that can be played, and as ``thumbnail(of:)``.
    public func poster(of clip: StoredClip, _ camera: String) async throws(CaptureError) -> [UInt8] {
        guard clip.isPlayable else { throw .notPlayable(clip) }
        return try await picture("\(camera)-\(clip.tag)-\(Self.width)") { () throws(CaptureError) in
            do throws(CaptureError) {
                return try await ClipPoster.jpeg(of: clip.path, width: Self.width)
            } catch {
                // Clients see no paths.
                throw error.about("clip \(clip.id)")
            }
        }
    }
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
