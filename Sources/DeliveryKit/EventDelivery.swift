// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureBase
import Logging
import SystemBase
import UploadKit

/// Delivers the events of a queue to one receiver, in their order, until its task is canceled.
///
/// The machine of the outbox decides when an event is sent again, and when it is dropped. It gets one event at a time: it
/// tries a receiver that is away with a different one each time, which would change their order.
actor EventDelivery {
    private let queue: AnalyticsQueue
    private let receiver: EventReceiver
    private let clock: DeliveryClock
    private let logger: Logger
    private let scope = TaskScope()
    private var machine = OutboxMachine(lanes: [.init()], parallel: 1, seed: .random(in: .min ... .max))
    /// The event that the machine has.
    private var entry: AnalyticsQueue.Entry?
    /// An event that the receiver has or refuses, until the queue knows it.
    private var ending: Ending?
    /// `true` if the queue has got events since the last refill began.
    private var hasGrown = false
    /// `true` while the queue is asked again after an error.
    private var isQueueFaulty = false
    /// The moment of the next ``OutboxMachine/Input/time``.
    private var alarm: ClockTime?
    /// The reasons that were logged since the receiver has answered.
    private var reasons: Set<String> = []
    private var queueError: CaptureError?

    private struct Ending {
        let entry: AnalyticsQueue.Entry
        let isDelivered: Bool
    }

    /// The pause after an error of the queue.
    private static let queuePause = Duration.seconds(60)
    private static let mostReasons = 16

    init(_ queue: AnalyticsQueue, _ receiver: EventReceiver, _ clock: DeliveryClock, _ logger: Logger) {
        (self.queue, self.receiver, self.clock) = (queue, receiver, clock)
        var logger = logger
        logger[metadataKey: "receiver"] = "\(receiver.name)"
        self.logger = logger
    }

    /// Runs until the task is canceled. Events that were not delivered by then stay in the queue.
    func run() async {
        handle(.time)
        await scope.run()
    }

    /// Asks the queue for an event, because it has new ones.
    func grow() {
        hasGrown = true
        handle(.grew(lane: 0))
    }

    /// Gives an input to the machine, and performs what it wants.
    func handle(_ input: OutboxMachine.Input) {
        var inputs = [input]
        while !inputs.isEmpty {
            let now = OutboxMachine.Moment(steady: Int64(clamping: clock.now().nanoseconds), wall: nil)
            for effect in machine.handle(inputs.removeFirst(), at: now) {
                if let answer = perform(effect) { inputs.append(answer) }
            }
        }
        logFault()
        setAlarm()
    }

    /// - Returns: The input that answers the effect.
    private func perform(_ effect: OutboxMachine.Effect) -> OutboxMachine.Input? {
        switch effect {
        case .refill:
            guard entry == nil else { return .jobs([], lane: 0, isDrained: true) }
            scope.add { [self] in await refill() }
        case .deliver: if let entry { scope.add { [self] in await deliver(entry) } }
        case .finish: return end(isDelivered: true)
        case .bury(_, let reason):
            logger.warning("event refused: \(reason)", metadata: ["id": "\(entry?.id ?? "")"])
            return end(isDelivered: false)
        case .skip:
            entry = nil
            return .grew(lane: 0)
        // Events are not read back, and have no names.
        case .confirm, .markStored, .note, .rename: break
        }
        return nil
    }

    private func end(isDelivered: Bool) -> OutboxMachine.Input {
        ending = entry.map { Ending(entry: $0, isDelivered: isDelivered) }
        entry = nil
        return .grew(lane: 0)
    }

    // MARK: The queue

    /// Records the end of the last event, and gives the next one to the machine.
    private func refill() async {
        hasGrown = false
        do throws(CaptureError) {
            try await record()
            entry = try await queue.next(for: receiver.name)
            queueError = nil
        } catch {
            // An event whose end is not recorded must not be sent again.
            if error != queueError { logger.error("events wait: \(error)") }
            queueError = error
            askAgain()
            return handle(.jobs([], lane: 0, isDrained: true))
        }
        let jobs = entry.map { [OutboxMachine.Job(id: $0.row, lane: 0, captured: $0.row)] }
        handle(.jobs(jobs ?? [], lane: 0, isDrained: !hasGrown))
    }

    private func record() async throws(CaptureError) {
        guard let ending else { return }
        try await queue.finish(ending.entry, by: receiver.name, isDelivered: ending.isDelivered)
        self.ending = nil
    }

    private func askAgain() {
        guard !isQueueFaulty else { return }
        isQueueFaulty = true
        scope.add { [self] in
            await clock.sleep(clock.now() + Self.queuePause)
            await endPause()
        }
    }

    private func endPause() {
        isQueueFaulty = false
        if !Task.isCancelled { grow() }
    }

    // MARK: The receiver

    private func deliver(_ entry: AnalyticsQueue.Entry) async {
        let input: OutboxMachine.Input
        do throws(TransferFault) {
            guard await isWaiting(entry) else { throw .gone("it is too old") }
            try await receiver.deliver(entry)
            input = .delivered(entry.row, .confirmed(.answer))
        } catch {
            input = .failed(entry.row, error)
        }
        handle(input)
        // At the end of the service nothing is refilled. Without a record the receiver would get the event once more.
        if Task.isCancelled { try? await record() }
    }

    /// `false` if the queue has dropped an event since: it is too old, or there were too many.
    private func isWaiting(_ entry: AnalyticsQueue.Entry) async -> Bool {
        do throws(CaptureError) { return try await queue.next(for: receiver.name) == entry } catch { return true }
    }

    /// A receiver can be away for days: each reason is logged once.
    private func logFault() {
        guard case .failing(let fault) = machine.condition else {
            reasons = []
            return
        }
        guard !Task.isCancelled, reasons.count < Self.mostReasons, reasons.insert(fault.reason).inserted else { return }
        logger.warning("events wait: \(fault.reason)")
    }

    /// Sets an alarm for the machine. One that is too early does no harm.
    private func setAlarm() {
        guard let wake = machine.wake.map({ ClockTime(nanoseconds: UInt64(max(0, $0))) }) else { return }
        guard alarm.map({ wake < $0 }) ?? true else { return }
        alarm = wake
        scope.add { [self] in
            await clock.sleep(wake)
            await ring(wake)
        }
    }

    private func ring(_ moment: ClockTime) {
        if alarm == moment { alarm = nil }
        if !Task.isCancelled { handle(.time) }
    }
}
#endif
