// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit

/// Loads pictures ahead of the encoder, several at a time, and returns their frames in order.
struct FrameQueue: Sendable {
    /// A picture that was loaded.
    struct Loaded: Sendable {
        fileprivate let place: Int
        fileprivate let result: Result<Buffer, CaptureError>
    }

    /// The number of pictures that are loaded or wait for the encoder at a time: one more than there are processors.
    static let width = min(9, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1))

    let loader: FrameLoader
    private let frames: [FilmPlan.Frame]
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
    init(_ frames: [FilmPlan.Frame], from start: Int, _ loader: FrameLoader, _ gains: [Double]) {
        (self.frames, self.loader, self.gains) = (frames, loader, gains)
        (first, following, due) = (start, start, start)
    }

    /// Returns the next picture; `nil` after the last one.
    mutating func next(
        _ group: inout ThrowingTaskGroup<Loaded, any Error>
    ) async throws -> (FilmPlan.Frame, Result<Buffer, CaptureError>)? {
        guard due < frames.count else { return nil }
        load(&group)
        while ready[due] == nil, let loaded = try await group.next() { ready[loaded.place] = loaded.result }
        guard let result = ready.removeValue(forKey: due) else { return nil }
        due += 1
        load(&group)
        return (frames[due - 1], result)
    }

    private mutating func load(_ group: inout ThrowingTaskGroup<Loaded, any Error>) {
        while following < frames.count, following - due < Self.width {
            let (place, frame, loader) = (following, frames[following], loader)
            let gain = gains.isEmpty ? 1 : gains[place - first]
            group.addTask {
                Loaded(place: place, result: await Self.result { try await loader.load(frame, gain: gain) })
            }
            following += 1
        }
    }

    /// Returns the result of a call.
    static func result<Success: Sendable>(
        _ body: () async throws -> Success
    ) async -> Result<Success, CaptureError> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error as? CaptureError ?? CaptureError(.software, "\(error)"))
        }
    }
}
