// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

/// A recording in a file: MP4 in fragments while it is written, so that a crash costs at most the last fragment, and an
/// ordinary MP4 file when it is finalized (ISO/IEC 14496-12, 8.8).
///
/// The steps of finalizing are writes of few bytes except one, and each is durable before the next. After any of them,
/// and after a part of any of them, players open the file: as fragments until the last step, as an ordinary movie from
/// then on.
///
/// 1. If the last fragment was cut off, a header of 8 bytes hides its remains.
/// 2. The index is appended. Players of fragments ignore it.
/// 3. The 16 bytes at the old header make one `mdat` of the old header and all fragments.
package enum ClipFile {
    /// The content of a recording.
    package struct Report: Sendable, Hashable {
        /// The duration of the longest track, with the time before it begins.
        package let duration: Duration
        /// The tracks with samples.
        package let tracks: [MP4Index.Track]
        /// `true` if the muxer ended the recording; `false` after a crash or a power cut: up to one fragment of each track
        /// is missing.
        package let wasClosed: Bool
        /// `true` if the remains of a fragment were cut off, or blocks of fragments are lost and the time of these has no
        /// samples.
        package let isCutOff: Bool
        /// `true` if the file was an ordinary movie before, and is unchanged.
        package let wasOrdinary: Bool
    }

    /// One change of a file, which must be durable before the next.
    package enum Step: Sendable, Hashable {
        /// Ends the file at a position: removes an index without its head, which a stopped run has left.
        case truncate(to: Int)
        /// Writes the index at the end of the file.
        case append([UInt8], at: Int)
        /// Replaces a header, which is at most 16 bytes long.
        case replace([UInt8], at: Int)
    }

    /// Makes an ordinary MP4 file of a recording that is not written any more, whole or cut off. On an ordinary MP4 file
    /// it does nothing. Blocks.
    ///
    /// - Parameters:
    ///   - path: The file, with `mp4mux fragment-duration=…` and fragments alone. Its old content stays in it.
    ///   - delays: For each track ID the time by which the track begins later than its fragments state.
    ///   - freeBytes: Returns the free space of a folder's file system in bytes; `nil` if it is unknown.
    /// - Throws: ``CaptureError`` with the path. Foreign and damaged files are unchanged. `inputOutput` with `ENOSPC` if
    ///   the disk has no room for the index, before any change; after an error of writing, the file can be played, and
    ///   another call repeats the steps.
    package static func finalize(
        _ path: String, delays: [UInt32: Duration] = [:],
        freeBytes: (_ folder: String) -> Int? = { DiskSpace(at: $0)?.free }
    ) throws(CaptureError) -> Report {
        try finalize(try FileBytes(path), path, delays: delays, freeBytes: freeBytes)
    }

    /// Makes an ordinary MP4 file of an open recording, as ``finalize(_:delays:freeBytes:)`` does.
    static func finalize(
        _ file: borrowing FileBytes, _ path: String, delays: [UInt32: Duration] = [:],
        freeBytes: (_ folder: String) -> Int? = { DiskSpace(at: $0)?.free }
    ) throws(CaptureError) -> Report {
        let plan = try plan(file, path, delays)
        guard !plan.steps.isEmpty else { return plan.report }
        if let free = freeBytes(StillFolder.path(of: path)), free < plan.neededBytes {
            throw .file(ENOSPC, path, "cannot be finalized")
        }
        try file.checkWritable()
        for step in plan.steps { try perform(step, file) }
        return plan.report
    }

    /// Returns the steps that ``finalize(_:delays:freeBytes:)`` would perform, without changing the file.
    package static func steps(for path: String, delays: [UInt32: Duration] = [:]) throws(CaptureError) -> [Step] {
        try plan(try FileBytes(path), path, delays).steps
    }

    private static func perform(_ step: Step, _ file: borrowing FileBytes) throws(CaptureError) {
        switch step {
        case .truncate(let byteCount): try file.truncate(to: byteCount)
        case .append(let bytes, let position): try append(bytes, at: position, file)
        case .replace(let bytes, let position): try file.write(bytes, at: position)
        }
        try file.sync()
    }

    /// Appends the index. If the disk is full, it removes the part that was written: it would only take room.
    private static func append(
        _ bytes: [UInt8], at position: Int, _ file: borrowing FileBytes
    ) throws(CaptureError) {
        do throws(CaptureError) {
            try file.write(bytes, at: position)
        } catch {
            try? file.truncate(to: position)
            throw error
        }
    }
}

// MARK: - Plan

extension ClipFile {
    private struct Plan {
        let report: Report
        var steps: [Step] = []

        /// The space that the steps need on the disk, with a reserve for the file system's own blocks.
        var neededBytes: Int {
            steps.reduce(1 << 16) { sum, step in
                if case .append(let bytes, _) = step { sum + bytes.count } else { sum }
            }
        }
    }

    private static func plan(
        _ file: borrowing FileBytes, _ path: String, _ delays: [UInt32: Duration]
    ) throws(CaptureError) -> Plan {
        do throws(CaptureError) {
            let scan = try ClipScan(file)
            if let movie = scan.ordinary {
                return Plan(
                    report: Report(
                        duration: movie.duration, tracks: movie.tracks, wasClosed: true, isCutOff: false,
                        wasOrdinary: true))
            }
            guard let index = scan.index else { throw .noHeader }
            return try plan(scan, index, size: file.byteCount, delays)
        } catch {
            throw error.subject == nil ? error.about(RegularFile.display(path)) : error
        }
    }

    private static func plan(
        _ scan: ClipScan, _ index: MP4Index, size: Int, _ delays: [UInt32: Duration]
    ) throws(CaptureError) -> Plan {
        let tracks = index.tracks
        guard !tracks.isEmpty else {
            throw CaptureError(
                .inputOutput, "has no whole fragment: nothing of the recording can be played",
                advice: "the recording was stopped in its first moments; delete the file")
        }
        let (movie, duration) = index.encoded(delays: delays)
        var (steps, end, isCutOff): ([Step], Int, Bool) = ([], size, scan.isMarkedCut || scan.hasGap)
        switch scan.tail {
        case .whole: break
        case .index(let start): (steps, end) = ([.truncate(to: start)], start)
        case .cut(let start):
            let mark = mark(from: start, to: size)
            (steps, end, isCutOff) = ([.replace(mark, at: start)], max(size, start + mark.count), true)
        }
        steps.append(.append(movie, at: end))
        steps.append(.replace(head(byteCount: end - scan.header.lowerBound), at: scan.header.lowerBound))
        let report = Report(
            duration: duration, tracks: tracks, wasClosed: scan.isClosed, isCutOff: isCutOff, wasOrdinary: false)
        return Plan(report: report, steps: steps)
    }

    /// Returns the header of a box that hides the remains of a fragment.
    private static func mark(from start: Int, to end: Int) -> [UInt8] {
        var writer = BoxWriter()
        let size = max(8, end - start)
        guard size > Int(UInt32.max) else {
            writer.put(UInt32(size))
            writer.put(ClipScan.mark)
            return writer.bytes
        }
        return largeHeader(ClipScan.mark, byteCount: size)
    }

    /// Returns the header that makes one `mdat` of the old header and all fragments. Each `moov` has room for it.
    private static func head(byteCount: Int) -> [UInt8] { largeHeader("mdat", byteCount: byteCount) }

    /// Returns a header of 16 bytes (ISO/IEC 14496-12, 4.2.2).
    private static func largeHeader(_ type: FourCC, byteCount: Int) -> [UInt8] {
        var writer = BoxWriter()
        writer.put(1 as UInt32)
        writer.put(type)
        writer.put(UInt64(byteCount))
        return writer.bytes
    }
}
