// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import ProgramTestSupport
import Testing
import VideoKit

@Suite(
    "A full disk", .timeLimit(.minutes(5)), Recording.isPossible,
    .enabled(if: MountSpace.isAllowed, "the kernel or the sandbox does not allow to mount"))
struct FullDiskTests {
    /// Mounts a disk of this size.
    private static func disk(_ size: String) throws -> (space: MountSpace, folder: String) {
        let space = try MountSpace()
        try space.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", "/mnt")
        return (space, space.path("/mnt"))
    }

    /// Appends pictures until the disk is full.
    private static func fill(_ clip: ClipWriter, _ pictures: [EncodedUnit]) async -> (CaptureError, Int)? {
        for number in 0..<1_000_000 {
            let picture = pictures[number % pictures.count].at(milliseconds: Double(number) * 1000 / 30)
            do throws(CaptureError) {
                try await clip.append(picture, of: .video)
            } catch {
                return (error, number)
            }
        }
        return nil
    }

    @Test("A clip that fills the disk is finished with the space that is held back", ProbedMovie.isPossible)
    func full() async throws {
        let (space, folder) = try Self.disk("4m")
        let path = folder + "/clip.mp4"
        let pictures = try await EncodedMedia.pictures(60, width: 1280)
        let clip = try await ClipWriter.create(path, video: try pictures[0].caps)
        let (error, count) = try #require(await Self.fill(clip, pictures))
        #expect(error.isFullDisk && error.subject == path)
        // Each later unit has the same error.
        let later = await #expect(throws: CaptureError.self) { try await clip.append(pictures[0], of: .video) }
        #expect(later == error)
        let summary = try await clip.finish()
        // The last picture and the one before it are in the file, too.
        #expect(summary.frameCount == count + 1)
        let movie = try await ProbedMovie(path)
        #expect(movie.errors.isEmpty && movie.count(0) == count + 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["clip.mp4"])
        withExtendedLifetime(space) {}
    }

    @Test("A disk without room for a clip is an error, and has no file")
    func noRoom() async throws {
        let (space, folder) = try Self.disk("512k")
        let caps = try await EncodedMedia.pictures(1)[0].caps
        let error = await #expect(throws: CaptureError.self) {
            try await ClipWriter.create(folder + "/clip.mp4", video: caps)
        }
        #expect(error?.isFullDisk == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        withExtendedLifetime(space) {}
    }
}
