// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// An MP4 file that grows by fragments of several pictures, can be continued after a crash, and becomes an ordinary movie
/// with ``finish()``.
///
/// Writes block a thread of this actor, and none of Swift's pool. The file is locked until the end.
package actor FragmentedMovie {
    /// A place between two fragments, at which a movie can be continued.
    package struct Place: Sendable, Hashable {
        /// The size of the file so far, in bytes.
        package var byteCount: Int
        /// The number of fragments so far.
        package var fragmentCount: Int

        package init(byteCount: Int, fragmentCount: Int) {
            (self.byteCount, self.fragmentCount) = (byteCount, fragmentCount)
        }
    }

    package nonisolated let path: String
    /// The start of the file, before the first fragment.
    package nonisolated let initialization: [UInt8]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let executor = BlockingExecutor("gst-capture.movie")
    private var fragments: FragmentWriter
    private var reserve = ReservedSpace()
    /// `nil` before the start and after the end.
    private var output: ClipOutput?

    /// Creates a file that must not exist.
    ///
    /// - Throws: ``CaptureError`` with the path: `cannotCreate` with `EEXIST` if there is a file of this name; `inputOutput`
    ///   with `ENOSPC` if the disk has no room.
    package static func create(
        _ path: String, _ video: FragmentWriter.Video
    ) async throws(CaptureError) -> FragmentedMovie {
        let movie = FragmentedMovie(path, try FragmentWriter(video: video))
        try await movie.begin()
        return movie
    }

    /// Continues a file, and removes all after a place. It also continues a movie that was finished.
    ///
    /// - Parameter sampleCount: The number of pictures up to the place.
    /// - Throws: ``CaptureError`` with the path: `temporary` if another process has locked the file; `inputOutput` if it is
    ///   shorter than it was.
    package static func `continue`(
        _ path: String, _ video: FragmentWriter.Video, at place: Place, sampleCount: Int
    ) async throws(CaptureError) -> FragmentedMovie {
        let fragments = try FragmentWriter(video: video, sequenceNumber: UInt32(clamping: place.fragmentCount))
        let movie = FragmentedMovie(path, fragments)
        try await movie.resume(at: place, sampleCount)
        return movie
    }

    private init(_ path: String, _ fragments: FragmentWriter) {
        (self.path, self.fragments, initialization) = (path, fragments, fragments.initialization)
    }

    private func begin() throws(CaptureError) {
        let output = try ClipOutput(path, reservedBytes: reserve.byteCount)
        do throws(CaptureError) {
            try output.append(initialization)
        } catch {
            output.remove()
            throw error
        }
        self.output = output
    }

    private func resume(at place: Place, _ sampleCount: Int) throws(CaptureError) {
        for _ in 0..<sampleCount { _ = reserve.add(.video) }
        output = try ClipOutput(
            continuing: path, initialization, at: place.byteCount, reservedBytes: reserve.byteCount)
    }

    /// Writes consecutive pictures as one fragment.
    ///
    /// - Throws: ``CaptureError`` with the path. The file ends with the fragment before then.
    package func append(_ units: [FragmentWriter.AccessUnit]) throws(CaptureError) {
        guard let output else { throw CaptureError(.software, "the movie has ended", subject: path) }
        let byteCount = units.reduce(0) { $0 + $1.bytes.count }
        try output.checkSize(adding: byteCount)
        try output.append(try fragments.fragment(units))
        for unit in units {
            if let byteCount = reserve.add(unit.track) { try output.reserve(byteCount) }
        }
    }

    /// Makes all fragments durable, and returns the place after them.
    package func sync() throws(CaptureError) -> Place {
        guard let output else { throw CaptureError(.software, "the movie has ended", subject: path) }
        try output.syncNow()
        return Place(byteCount: output.byteCount, fragmentCount: Int(fragments.sequenceNumber))
    }

    /// Makes an ordinary movie of the file. This succeeds on a full disk, too.
    ///
    /// - Returns: The content, and the size of the file.
    /// - Throws: ``CaptureError`` with the path; the file can be played as it is.
    package func finish() throws(CaptureError) -> (report: ClipFile.Report, byteCount: Int) {
        guard let output = output.take() else { throw CaptureError(.software, "the movie has ended", subject: path) }
        output.releaseReserve()
        return try output.finalize()
    }

    /// Makes an ordinary movie of a file that has all its fragments, and removes all after a place.
    package static func finish(
        _ path: String, _ initialization: [UInt8], at place: Place
    ) async throws(CaptureError) -> (report: ClipFile.Report, byteCount: Int) {
        try await BlockingWork.run { () throws(CaptureError) in
            let output = try ClipOutput(
                continuing: path, initialization, at: place.byteCount, reservedBytes: ReservedSpace().byteCount)
            output.releaseReserve()
            return try output.finalize()
        }
    }

    /// Ends the movie, and removes its file. Has no effect after ``finish()``.
    package func abandon() {
        output?.remove()
        output = nil
    }
}
