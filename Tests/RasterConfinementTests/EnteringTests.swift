// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import OverlayCompositor
import PipelineKit
import Testing

/// `confinement-probe` ends with status 71, as `gst-capture-raster` does, if it cannot confine itself.
@Suite(.timeLimit(.minutes(2))) struct `Entering the confinement` {
    /// Runs the probe with this stream as its socket for files.
    private func ending(files: ChildProcess.Stream) throws -> ChildProcess.Ending {
        let probe = URL(filePath: try RasterProcess.standard().executable).deletingLastPathComponent()
            .appending(path: "confinement-probe").path
        let streams: [ChildProcess.Stream] = [.null, .null, .null, files]
        return try ChildProcess(probe, arguments: [probe], environment: [], streams: streams).reap()
    }

    @Test func `A process without the socket for files is not confined, and draws nothing`() throws {
        #expect(try ending(files: .null) == .exited(71))
    }

    @Test func `A process whose other end is gone is not confined, and draws nothing`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        #expect(try ending(files: .descriptor(ends[0])) == .exited(71))
    }
}
