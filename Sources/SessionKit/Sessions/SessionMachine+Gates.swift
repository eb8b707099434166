// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The gates of a stage.
extension SessionMachine {
    /// Watches these gates only. Discards earlier verdicts, which belong to another stage or another camera.
    mutating func watch(_ gates: [GateRequest]) -> [Effect] {
        let hadAny = !watched.isEmpty
        (watched, verdicts, overruled) = (gates, [:], [])
        return hadAny || !gates.isEmpty ? [.watch(gates)] : []
    }

    mutating func stopWatching() -> [Effect] { watch([]) }

    mutating func judge(_ kind: GateRequest.Kind, _ holds: Bool, _ now: ClockTime) -> [Effect] {
        guard let gate = watched.first(where: { $0.kind == kind }) else { return [] }
        verdicts[kind] = holds
        switch phase {
        case .armed(let stage, .gates(let since)): return wait(stage, since: since, now)
        case .counting: return spoils(gate, holds) ? abort(.gate(kind), now) : []
        // The moment of the picture may be over.
        case .capturing(_, _, let zero): return now < zero && spoils(gate, holds) ? abort(.gate(kind), now) : []
        default: return []
        }
    }

    private func spoils(_ gate: GateRequest, _ holds: Bool) -> Bool { !holds && gate.failure == .abort }

    /// Begins the countdown once every gate holds, only warns, or has timed out; else waits for the next timeout.
    /// Aborts the run if the timeout of a gate requires that.
    mutating func wait(_ stage: Int, since: ClockTime, _ now: ClockTime) -> [Effect] {
        var emitted: [Effect] = []
        for gate in barring where now >= since + gate.limit {
            if gate.failure == .abort || gate.expiry == .abort { return emitted + abort(.expired(gate.kind), now) }
            overruled.insert(gate.kind)
            emitted.append(.emit(.overruled(gate.kind)))
        }
        guard let end = endOfWait(since: since) else { return emitted + count(stage, now) }
        return emitted + [.wake(end)]
    }

    /// The moment of the next timeout; `nil` if no gate blocks the countdown.
    func endOfWait(since: ClockTime) -> ClockTime? { barring.map { since + $0.limit }.min() }

    /// The gates that block the countdown: they wait or abort, are not known to hold, and have not timed out.
    private var barring: [GateRequest] {
        watched.filter { $0.failure != .warn && verdicts[$0.kind] != true && !overruled.contains($0.kind) }
    }
}
