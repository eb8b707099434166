// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit

/// Supplies the pictures of a plan: loads them ahead of the encoder, several at a time, and returns them in order.
struct FrameQueue: FrameSupply {
    /// Loads pictures by their places.
    typealias Queue = ParallelQueue<Int, Result<Buffer, CaptureError>>
    /// A picture that was loaded.
    typealias Loaded = Queue.Done

    /// The number of pictures that are loaded or wait for the encoder at a time: one more than there are processors.
    static let width = min(9, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))

    let info: VideoInfo
    private let look: FilmLook
    private var queue: Queue

    /// - Parameters:
    ///   - start: The place of the first picture.
    ///   - gains: The gains of the pictures from there on; empty for none.
    init(_ look: FilmLook, from start: Int, _ loader: FrameLoader, _ gains: [Double]) {
        (self.look, info) = (look, loader.info)
        queue = Queue(start..<look.frames.count) { place in
            let gain = gains.isEmpty ? 1 : gains[place - start]
            return await Result { try await loader.load(look.frames[place], gain: gain) }
        }
    }

    var isComplete: Bool { queue.isComplete }
    var hasEnded: Bool { isComplete }

    mutating func next(_ group: inout Loading) async throws -> Supplied? {
        guard let (place, pixels) = try await queue.next(&group) else { return nil }
        return (look.frames[place], pixels)
    }

    func seal(_ part: inout FilmJournal.Part, after start: FilmJournal.Part) {
        part.digest = look.digest(after: start.digest, start.pictureCount..<part.pictureCount)
    }
}
