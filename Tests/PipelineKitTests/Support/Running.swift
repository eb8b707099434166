// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Plays a pipeline during a closure, and stops it even if the closure throws.
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

/// Plays the pipeline of a description during a closure.
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

/// The error that a closure throws; `nil` if it throws none, or another type.
func failure<Result>(_ body: () throws -> Result) -> PipelineError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PipelineError
    }
}

/// The same for an async closure.
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
