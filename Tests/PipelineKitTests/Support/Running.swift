// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The timeout of the tests. A program waits ten seconds for a driver, which a slow or suspended test can exceed.
private let timeout = Duration.seconds(240)

/// Overloads without a deadline. Swift prefers them to the methods of the library, whose default deadline is too short
/// for tests.
extension Pipeline {
    func play() async throws(PipelineError) { try await play(deadline: timeout) }

    func pause() async throws(PipelineError) { try await pause(deadline: timeout) }

    func sendEndOfStream() async throws(PipelineError) { try await sendEndOfStream(deadline: timeout) }

    func stop() async throws(PipelineError) { try await stop(deadline: timeout) }

    func setState(of element: Element, to state: PipelineState) async throws(PipelineError) {
        try await setState(of: element, to: state, deadline: timeout)
    }

    func seek(
        to position: ClockTime, until end: ClockTime? = nil, rate: Double = 1, _ flags: SeekFlags = [.flush, .keyUnit]
    ) async throws(PipelineError) {
        try await seek(to: position, until: end, rate: rate, flags, deadline: timeout)
    }
}

/// Overloads without a deadline, for the same reason.
extension DeviceMonitor {
    func start() async throws(PipelineError) { try await start(deadline: timeout) }

    func devices() async throws(PipelineError) -> [Device] { try await devices(deadline: timeout) }

    func stop() async throws(PipelineError) { try await stop(deadline: timeout) }
}

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
