// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit

/// Supplies the pictures of a plan: loads them ahead of the encoder, several at a time, and returns them in order.
struct FrameQueue: FrameSupply {
    /// A picture that was loaded.
    struct Loaded: Sendable {
        fileprivate let place: Int
        fileprivate let result: Result<Buffer, CaptureError>
    }

    /// The number of pictures that are loaded or wait for the encoder at a time: one more than there are processors.
    static let width = min(9, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))

    private let loader: FrameLoader
    private let look: FilmLook
    private let gains: [Double]
    private let first: Int
    /// The next picture to load.
    private var following: Int
    /// The next picture to return.
    private var due: Int
    private var ready: [Int: Result<Buffer, CaptureError>] = [:]

    /// - Parameters:
    ///   - start: The place of the first picture.
    ///   - gains: The gains of the pictures from there on; empty for none.
    init(_ look: FilmLook, from start: Int, _ loader: FrameLoader, _ gains: [Double]) {
        (self.look, self.loader, self.gains) = (look, loader, gains)
        (first, following, due) = (start, start, start)
    }

    var info: VideoInfo { loader.info }
    var isComplete: Bool { due == look.frames.count }
    var hasEnded: Bool { isComplete }

    mutating func next(_ group: inout Loading) async throws -> Supplied? {
        guard !isComplete else { return nil }
        load(&group)
        while ready[due] == nil, let loaded = try await group.next() { ready[loaded.place] = loaded.result }
        guard let result = ready.removeValue(forKey: due) else { return nil }
        due += 1
        load(&group)
        return (look.frames[due - 1], result)
    }

    private mutating func load(_ group: inout Loading) {
        while following < look.frames.count, following - due < Self.width {
            let (place, frame, loader) = (following, look.frames[following], loader)
            let gain = gains.isEmpty ? 1 : gains[place - first]
            group.addTask {
                Loaded(place: place, result: await Result { try await loader.load(frame, gain: gain) })
            }
            following += 1
        }
    }

    func seal(_ part: inout FilmJournal.Part, after start: FilmJournal.Part) {
        part.digest = look.digest(after: start.digest, start.pictureCount..<part.pictureCount)
    }
}
