// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What has to hold for a picture.
extension SessionMachine {
    /// What was found before was of another stage, or of another camera.
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
        // The moment that counts may be over.
        case .capturing(_, _, let zero): return now < zero && spoils(gate, holds) ? abort(.gate(kind), now) : []
        default: return []
        }
    }

    private func spoils(_ gate: GateRequest, _ holds: Bool) -> Bool { !holds && gate.failure == .abort }

    /// Begins to count as soon as nothing speaks against it, or nothing that is waited for any longer.
    mutating func wait(_ stage: Int, since: ClockTime, _ now: ClockTime) -> [Effect] {
        var told: [Effect] = []
        for gate in barring where now >= since + gate.limit {
            if gate.failure == .abort || gate.expiry == .abort { return told + abort(.expired(gate.kind), now) }
            overruled.insert(gate.kind)
            told.append(.tell(.overruled(gate.kind)))
        }
        guard let end = endOfWait(since: since) else { return told + count(stage, now) }
        return told + [.wake(end)]
    }

    /// When the next gate is not waited for any longer; `nil` where none is waited for.
    func endOfWait(since: ClockTime) -> ClockTime? { barring.map { since + $0.limit }.min() }

    /// The gates that keep a countdown from beginning: those that are not known to hold.
    private var barring: [GateRequest] {
        watched.filter { $0.failure != .warn && verdicts[$0.kind] != true && !overruled.contains($0.kind) }
    }
}
