// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A target with its machine and its jobs.
struct TargetDesk {
    let target: OutboxConfiguration.Target
    let transport: any Transport
    var machine: OutboxMachine
    /// The lane of pictures that the target has to erase; it has no source.
    let erasing: Int
    /// The sources, by their lanes.
    var lanes: [Int: SourceDesk] = [:]
    /// The jobs that the machine has.
    var jobs: [Int64: UploadJob] = [:]
    /// The small copies that were made for jobs.
    var copies: [Int64: Upload] = [:]
    /// The results of erasures that are about to end.
    var erasures: [Int64: Erasure] = [:]
    var state: TargetState
    /// The condition in the store.
    var shown: TargetCondition?
    var alarm = Alarm()
    var hoursAlarm = Alarm()

    init(_ target: OutboxConfiguration.Target, _ transport: any Transport) {
        (self.target, self.transport, state) = (target, transport, TargetState(id: target.id))
        machine = OutboxMachine(parallel: target.parallel, seed: .random(in: .min ... .max))
        erasing = machine.add(OutboxMachine.Lane())
    }

    var id: String { target.id }

    /// Returns the number of the lane of a source; `nil` if it is not known yet.
    func lane(_ source: OutboxStore.Lane) -> Int? { lanes.first { $0.value.lane == source }?.key }

    /// `true` if a job sends a small copy.
    func isSmall(_ job: UploadJob) -> Bool {
        job.kind == .send && (lane(job.lane).flatMap { lanes[$0]?.route.isSmall } ?? false)
    }
}

/// A source at a target.
struct SourceDesk {
    let route: OutboxConfiguration.Route
    /// The path of a ledger, of a list of clips, or of a folder of sessions.
    let path: String
    let identity: String
    let lane: OutboxStore.Lane
}
