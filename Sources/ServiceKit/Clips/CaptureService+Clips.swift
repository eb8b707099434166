// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipStore

/// The camera that records clips, or the series of which films are made.
public enum ClipOwner: Sendable, Hashable {
    /// The camera with this ID.
    case camera(String)
    /// The series with this ID, whose clips are the films of its days.
    case series(String)
}

// Requests about clips. Each throws `CaptureError` `.usage` if the camera records none, or the series has no films.
extension CaptureService {
    /// Starts a recording of a camera. Returns before the first picture; events of the kind `clip` follow.
    ///
    /// - Parameter length: The duration of the recording; `nil` for that of its settings, or until it is stopped.
    /// - Throws: `CaptureError` `.usage` if the camera records already, or records around triggers; `.temporary` while
    ///   the camera changes.
    public func startClip(_ id: String, for length: Duration? = nil) async throws(CaptureError) {
        try await clipJob(id).start(for: length)
    }

    /// Ends the recording of a camera. Returns when its last clip is complete. On a camera with triggers, ends the clip
    /// of the last trigger, returns when it gets no more pictures, and leaves the camera armed. Waits for the disk.
    ///
    /// - Returns: The ID of the last clip; `nil` if there is none, as without a picture.
    /// - Throws: `CaptureError` `.usage` if the camera does not record.
    @discardableResult
    public func stopClip(_ id: String) async throws(CaptureError) -> Int? { try await clipJob(id).stop() }

    /// Begins a clip around the present, or extends the current one. Returns when the file is made, and waits for the
    /// disk.
    ///
    /// - Throws: `CaptureError` `.usage` if the camera has no triggers, and the fault that keeps it from being armed.
    public func triggerClip(_ id: String) async throws(CaptureError) { try await clipJob(id).trigger() }

    /// The state of a camera's recordings.
    public func clipStatus(of id: String) async throws(CaptureError) -> ClipStatus { try await clipJob(id).status }

    /// Returns the clips of a camera, or the films of a series, the newest first, with those that are being recorded. A page
    /// costs the same for any number of clips.
    ///
    /// - Parameters:
    ///   - before: The ID that all clips of the page are below: the last one of the page before; `nil` for the first page.
    ///   - limit: The maximum number of clips, 1 to 1,000.
    /// - Throws: `CaptureError` if the list of clips cannot be read.
    public func clips(
        of owner: ClipOwner, before: Int? = nil, limit: Int = 60
    ) async throws(CaptureError) -> [StoredClip] {
        try await clipFolder(of: owner).page(before: before, limit: max(1, min(1000, limit)))
    }

    /// Returns a clip, also one that was removed.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such clip, and the errors of the list.
    public func clip(_ clip: Int, of owner: ClipOwner) async throws(CaptureError) -> StoredClip {
        guard let found = try await clipFolder(of: owner).clip(clip) else { throw .unknownClip(clip) }
        return found
    }

    /// Removes a clip. The removal is durable on return.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such clip, `.temporary` if it is being recorded, and the errors
    ///   of files.
    public func removeClip(_ clip: Int, of owner: ClipOwner) async throws(CaptureError) {
        try await clipFolder(of: owner).remove(clip)
    }

    /// Returns the folder of the clips of a camera, or of the films of a series.
    package func clipFolder(of owner: ClipOwner) async throws(CaptureError) -> ClipFolder {
        switch owner {
        case .camera(let id): return try await clipJob(id).folder
        case .series(let id):
            guard let films = try await series(id).films else {
                throw CaptureError(.usage, "has no films", subject: id, advice: "give the series film: day")
            }
            return films.folder
        }
    }

    private func clipJob(_ id: String) async throws(CaptureError) -> ClipJob {
        guard let job = try await desk(id).clips else {
            throw CaptureError(
                .usage, "records no clips", subject: id,
                advice: "give the camera clips: with an output such as /srv/\(id)/%Y-%m-%d/%H%M%S.mp4")
        }
        return job
    }
}
