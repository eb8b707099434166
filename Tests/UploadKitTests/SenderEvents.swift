// Part of gst-capture. Apache License 2.0, see LICENSE.

import UploadKit

/// The events of a sender, one after the other.
final class SenderEvents: Sendable {
    let inlet: AsyncStream<OutboxEvent>.Continuation
    private let stream: AsyncStream<OutboxEvent>

    init() { (stream, inlet) = AsyncStream.makeStream() }

    private func next<Result>(_ select: (OutboxEvent) -> Result?) async -> Result? {
        for await event in stream { if let result = select(event) { return result } }
        return nil
    }

    /// The names of the next pictures that are sent.
    func sent(_ count: Int) async -> [String] {
        var names: [String] = []
        while names.count < count {
            guard let name = await next({ if case .sent(let job, _) = $0 { job.name } else { nil } }) else { break }
            names.append(name)
        }
        return names
    }

    /// The names of the next pictures that are erased.
    func erased(_ count: Int) async -> [String] {
        var names: [String] = []
        while names.count < count {
            guard let name = await next({ if case .erased(let job) = $0 { job.name } else { nil } }) else { break }
            names.append(name)
        }
        return names
    }

    func dead() async -> UploadJob? { await next { if case .dead(let job) = $0 { job } else { nil } } }

    func condition(_ word: String) async -> TargetState? {
        await next { if case .target(let state) = $0, state.condition == word { state } else { nil } }
    }
}
