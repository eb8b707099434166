// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import SystemBase

/// Records encoded pictures and sound in an MP4 file.
///
/// Each unit becomes one fragment, which is written at once: a crash loses the last picture. ``finish()`` makes an ordinary
/// movie of the file; after a crash, ``ClipFile/finalize(_:delays:freeBytes:)`` does. The file is locked until then.
///
///     let writer = try await ClipWriter.create(path, video: picture.caps, sound: packet.caps)
///     try await writer.append(picture, of: .video)
///     let summary = try await writer.finish()
///
/// The format of a clip never changes. If ``takes(_:of:)`` returns `false`, the caller finishes the clip and begins another
/// one. Writes block a thread of this actor, and none of Swift's pool.
package actor ClipWriter {
    /// The content of a finished clip.
    package struct Summary: Sendable, Hashable {
        /// The path of the file.
        package let path: String
        /// When the first picture was captured.
        package let start: ClockTime
        /// The number of pictures.
        package let frameCount: Int
        /// The duration of the longest track.
        package let duration: Duration
        /// The duration of the sound, without the time before it begins; `nil` if there is none.
        package let soundDuration: Duration?
        /// The size of the file.
        package let byteCount: Int
    }

    /// The path of the file.
    package nonisolated let path: String
    /// When the first picture was captured; `nil` before it.
    package var start: ClockTime? { timeline.start }
    /// The number of bytes that were written.
    package var byteCount: Int { output?.byteCount ?? 0 }
    /// The packets of sound that are left out, because they were captured before the first picture.
    package var droppedSoundCount: Int { timeline.droppedSoundCount }
    /// How often the file was made durable.
    package private(set) var syncCount = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let executor = BlockingExecutor("gst-capture.clip")
    private nonisolated let video: FragmentWriter.Video
    private nonisolated let sound: SoundFormat?
    private nonisolated let now: @Sendable () -> ClockTime
    private var fragments: FragmentWriter
    private var timeline: ClipTimeline
    private var reserve = ReservedSpace()
    /// `nil` after the end, and before ``begin()``.
    private var output: ClipOutput?
    /// Units that are not written yet.
    private var pending: [FragmentWriter.AccessUnit] = []
    private var failure: CaptureError?
    /// The last caps with the format of the clip.
    private var accepted: [FragmentWriter.Track: Caps] = [:]
    private var lastSync = ClockTime.zero

    /// Creates the file of a clip.
    ///
    /// - Parameters:
    ///   - path: The file, which must not exist.
    ///   - video: The caps of the pictures.
    ///   - sound: The caps of the sound, which may begin later; `nil` for a silent clip.
    ///   - now: Returns the time that decides when the file is made durable.
    /// - Throws: ``CaptureError``: `inputOutput` for caps that do not fit into a movie; `cannotCreate` with `EEXIST` if
    ///   there is a file of this name; `inputOutput` with `ENOSPC` if the disk has no room for a clip.
    package static func create(
        _ path: String, video: Caps, sound: Caps? = nil, now: @escaping @Sendable () -> ClockTime = { .now }
    ) async throws(CaptureError) -> ClipWriter {
        let format: SoundFormat? = if let sound { try SoundFormat(sound) } else { nil }
        let writer = try ClipWriter(path, try FragmentWriter.Video(video), format, now)
        try await writer.begin()
        return writer
    }

    private init(
        _ path: String, _ video: FragmentWriter.Video, _ sound: SoundFormat?, _ now: @escaping @Sendable () -> ClockTime
    ) throws(CaptureError) {
        (self.path, self.video, self.sound, self.now) = (path, video, sound, now)
        fragments = try FragmentWriter(video: video, audio: sound?.audio)
        timeline = ClipTimeline(sound: sound)
    }

    private func begin() throws(CaptureError) {
        let output = try ClipOutput(path, reservedBytes: reserve.byteCount)
        do throws(CaptureError) {
            try output.append(fragments.initialization)
        } catch {
            output.remove()
            throw error
        }
        (self.output, lastSync) = (output, now())
    }

    /// Returns `true` if a unit has the format of the clip. A new bit rate or frame rate does not change it.
    package nonisolated func takes(_ unit: EncodedUnit, of track: FragmentWriter.Track) -> Bool {
        guard let caps = unit.sample.caps else { return false }
        return switch track {
        case .video: (try? FragmentWriter.Video(caps)) == video
        case .audio: sound != nil && (try? SoundFormat(caps)) == sound
        }
    }

    /// Writes a unit. The last picture waits for the next one, whose time ends it; sound before the first picture waits for
    /// that, and is left out if it was captured earlier.
    ///
    /// - Throws: ``CaptureError`` with the path: `software` if the first picture is no key frame, or the clip has ended;
    ///   `configuration` if the unit has another format than the clip. After an error of writing, each call throws that
    ///   error, and ``finish()`` ends the clip before it: ``CaptureError/isFullDisk`` tells a full disk.
    package func append(_ unit: EncodedUnit, of track: FragmentWriter.Track) throws(CaptureError) {
        if let failure { throw failure }
        guard output != nil else { throw CaptureError(.software, "the clip has ended", subject: path) }
        try check(unit, track)
        let bytes = try bytes(of: unit)
        guard !bytes.isEmpty else { return }
        switch track {
        case .video:
            do throws(CaptureError) {
                pending += try timeline.addPicture(bytes, at: unit.time, isKey: unit.isKey)
            } catch {
                throw error.about(path)
            }
        case .audio: pending += timeline.addSound(bytes, at: unit.time)
        }
        do throws(CaptureError) {
            try writePending()
            try sync()
        } catch {
            failure = error
            throw error
        }
    }

    /// Ends the clip with its last picture, and makes an ordinary movie of the file. This succeeds on a full disk, too,
    /// because space is held back for it.
    ///
    /// - Parameter end: When the last picture ends: the capture of the next one, in another clip. `nil` if it is not known.
    /// - Throws: ``CaptureError`` with the path. If there is no picture, the file is removed; otherwise it can be played,
    ///   and ``ClipFile/finalize(_:delays:freeBytes:)`` repeats the last steps.
    package func finish(at end: ClockTime? = nil) throws(CaptureError) -> Summary {
        guard let output = output.take() else { throw CaptureError(.software, "the clip has ended", subject: path) }
        guard let start = timeline.start else {
            output.remove()
            throw CaptureError(
                .noCamera, "no picture arrived: the clip is empty", subject: path, advice: "check the camera")
        }
        output.releaseReserve()
        if let last = timeline.end(at: end) { pending.append(last) }
        do throws(CaptureError) {
            try write(pending, output)
        } catch {
            // The pictures before are worth an index all the same. If nothing can be written, the index fails, too.
            failure = failure ?? error
        }
        let (report, byteCount) = try output.finalize()
        return Summary(
            path: path, start: start, frameCount: report.tracks.first { $0.id == 1 }?.sampleCount ?? 0,
            duration: report.duration, soundDuration: report.tracks.first { $0.id == 2 }?.duration,
            byteCount: byteCount)
    }

    /// Ends the clip, and removes its file. Has no effect after ``finish()``.
    package func abandon() {
        output?.remove()
        output = nil
    }

    /// Checks the format of a unit. Encoders send the same caps with each unit: they are read once.
    private func check(_ unit: EncodedUnit, _ track: FragmentWriter.Track) throws(CaptureError) {
        let caps = unit.sample.caps
        if let caps, caps == accepted[track] { return }
        guard takes(unit, of: track) else { throw .changedFormat(path) }
        accepted[track] = caps
    }

    private func bytes(of unit: EncodedUnit) throws(CaptureError) -> [UInt8] {
        do {
            return try unit.sample.buffer?.bytes() ?? []
        } catch {
            throw CaptureError(.inputOutput, "a unit cannot be read: \(error)", subject: path)
        }
    }

    private func writePending() throws(CaptureError) {
        guard let output else { return }
        while let unit = pending.first {
            try output.checkSize(adding: unit.bytes.count)
            try write([unit], output)
            pending.removeFirst()
            if let byteCount = reserve.add(unit.track) { try output.reserve(byteCount) }
        }
    }

    private func write(_ units: [FragmentWriter.AccessUnit], _ output: ClipOutput) throws(CaptureError) {
        for unit in units { try output.append(try fragments.fragment(unit)) }
    }

    /// Makes the file durable once a second. No timer: a clip without new units has nothing to make durable.
    private func sync() throws(CaptureError) {
        let time = now()
        guard let output, time - lastSync >= .seconds(1) else { return }
        lastSync = time
        syncCount += 1
        try output.sync()
    }
}

/// The space that is held back for the end of a clip: its last units, and the index, which grows with the clip.
struct ReservedSpace: Sendable {
    /// The size of the last units, and of the file system's own blocks.
    private static let end = 1 << 19
    /// The space grows by this size.
    private static let step = 1 << 20

    /// The size in bytes.
    private(set) var byteCount = step
    private var indexByteCount = 0

    /// Adds a unit to the index.
    ///
    /// - Returns: The new size of the space, if it must grow.
    mutating func add(_ track: FragmentWriter.Track) -> Int? {
        // Size, duration, offset and number of a key frame; in the worst case another entry of each.
        indexByteCount += track == .video ? 24 : 20
        guard indexByteCount > byteCount - Self.end else { return nil }
        byteCount += Self.step
        return byteCount
    }
}

extension CaptureError {
    /// Creates the error of a unit that has another format than its clip.
    package static func changedFormat(_ path: String) -> CaptureError {
        CaptureError(.configuration, "the format has changed", subject: path, advice: "begin a new clip")
    }
}
