// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Plays a pipeline for the time of a closure, and stops it whatever happens.
func playing<Result>(
    _ pipeline: Pipeline, isolation: isolated (any Actor)? = #isolation, _ body: (Pipeline) async throws -> Result
) async throws -> Result {
    do {
        try await pipeline.play()
        let result = try await body(pipeline)
        try await pipeline.stop()
        return result
    } catch {
        try? await pipeline.stop()
        throw error
    }
}

/// Plays a description for the time of a closure.
func playing<Result>(
    _ description: String, isolation: isolated (any Actor)? = #isolation, _ body: (Pipeline) async throws -> Result
) async throws -> Result {
    try await playing(Pipeline(description), isolation: isolation, body)
}

extension Pipeline {
    /// Waits for the end of the stream, or throws the first error.
    func end() async throws {
        for await message in bus.messages() {
            switch message.content {
            case .endOfStream: return
            case .error(let error): throw error
            default: continue
            }
        }
    }
}

/// The error that a closure throws; `nil` where it throws none, or another kind.
func failure<Result>(_ body: () throws -> Result) -> PipelineError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PipelineError
    }
}

/// As above, for what waits.
func failure<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async -> PipelineError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PipelineError
    }
}
