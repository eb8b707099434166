// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import UploadKit

@Suite("A random walk of the outbox")
struct OutboxMachineWalkTests {
    @Test(arguments: 0..<10)
    func `A hundred thousand inputs send each picture once, and lose none`(seed: UInt64) {
        var walk = Walk(seed: seed)
        for _ in 0..<100_000 { walk.step() }
        walk.settle()
        let problems = walk.problems.prefix(5)
        #expect(problems.isEmpty)
        #expect(walk.sent.count > 1000)
        #expect(walk.isAccountedFor)
    }
}

/// A sender with a random target and a random person.
private struct Walk {
    private var generator: SplitMix
    private var machine: OutboxMachine
    private var now = OutboxMachine.Moment(steady: 0, wall: 0)
    private let parallel: Int
    private let lanes: Int
    /// The pictures that the sources have, which were not taken.
    private var sources: [Int]
    private var nextID: Int64 = 1
    private var taken: Set<Int64> = []
    private var delivering: Set<Int64> = []
    private var confirming: Set<Int64> = []
    private var stored: Set<Int64> = []
    private var refills: Set<Int> = []
    private(set) var sent: Set<Int64> = []
    private var buried: Set<Int64> = []
    private var skipped: Set<Int64> = []
    private(set) var problems: [String] = []
    /// `true` if the target answers.
    private var isUp = true
    private var isPaused = false
    private var isOpen = true

    init(seed: UInt64) {
        generator = SplitMix(seed)
        parallel = Int.random(in: 1...4, using: &generator)
        lanes = Int.random(in: 1...3, using: &generator)
        sources = Array(repeating: 20, count: lanes)
        let kinds = (0..<lanes).map { OutboxMachine.Lane(order: $0 == 1 ? .newest : .oldest) }
        machine = OutboxMachine(lanes: kinds, parallel: parallel, seed: seed)
    }

    var isAccountedFor: Bool { taken == sent.union(buried).union(skipped) }

    mutating func step() {
        now.steady += Int64.random(in: 0...3_000_000_000, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<60: endTransfer()
        case 60..<75: grow()
        case 75..<85: handle(.time)
        case 85..<88: isUp.toggle()
        case 88..<90: setPaused(!isPaused)
        case 90..<92: setOpen(!isOpen)
        case 92..<94: handle(.retry)
        case 94: handle(.clockStepped)
        case 95: handle(.credentialsChanged)
        case 96: handle(.networkChanged)
        case 97: if let id = taken.randomElement(using: &generator) { handle(.drop(id)) }
        default: now.steady += 7_200_000_000_000
        }
    }

    /// Lets the target work until nothing is left.
    mutating func settle() {
        isUp = true
        setPaused(false)
        setOpen(true)
        for _ in 0..<1_000_000 where machine.count > 0 || sources.contains(where: { $0 > 0 }) {
            if delivering.isEmpty, confirming.isEmpty {
                guard let wake = machine.wake else { return problems.append("nothing wakes the outbox") }
                now.steady = max(now.steady, wake)
                handle(.time)
            } else {
                endTransfer(fails: false)
            }
        }
    }

    private mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        handle(.pause(isPaused))
    }

    private mutating func setOpen(_ isOpen: Bool) {
        self.isOpen = isOpen
        handle(.open(isOpen))
    }

    private mutating func grow() {
        let lane = Int.random(in: 0..<lanes, using: &generator)
        sources[lane] += Int.random(in: 1...3, using: &generator)
        handle(.grew(lane: lane))
    }

    private mutating func endTransfer(fails: Bool = true) {
        if let id = delivering.sorted().randomElement(using: &generator) {
            handle(fails ? delivery(of: id) : .delivered(id, .confirmed(.hash)))
        } else if let id = confirming.sorted().randomElement(using: &generator) {
            handle(fails && Int.random(in: 0..<4, using: &generator) == 0 ? fault(of: id) : .confirmed(id, .readBack))
        }
    }

    private mutating func delivery(of id: Int64) -> OutboxMachine.Input {
        guard isUp, id % 97 != 0 else { return .failed(id, .unreachable("down", pause: nil)) }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return fault(of: id)
        case 1...4: return .delivered(id, .stored)
        default: return .delivered(id, .confirmed(.hash))
        }
    }

    private mutating func fault(of id: Int64) -> OutboxMachine.Input {
        let faults: [TransferFault] = [
            .unreachable("down", pause: .seconds(30)), .full("full"), .access("password"), .clock("clock"),
            .missing("bucket"), .refused("no"), .nameTaken("taken"), .changed("changed"), .damaged("hash"), .canceled,
        ]
        return .failed(id, faults[Int.random(in: faults.indices, using: &generator)])
    }

    private mutating func handle(_ input: OutboxMachine.Input) {
        switch input {
        case .delivered(let id, _), .confirmed(let id, _), .failed(let id, _):
            delivering.remove(id)
            confirming.remove(id)
            if case .failed(_, .damaged) = input { stored.remove(id) }
            if case .failed(_, .nameTaken) = input { stored.remove(id) }
        default: break
        }
        var failing = false
        if case .failing = machine.condition { failing = true }
        for effect in machine.handle(input, at: now) { perform(effect, failing) }
        if delivering.count + confirming.count > parallel { problems.append("too many transfers") }
        refill()
    }

    private mutating func perform(_ effect: OutboxMachine.Effect, _ wasFailing: Bool) {
        switch effect {
        case .refill(let lane, _): if !refills.insert(lane).inserted { problems.append("two refills of \(lane)") }
        case .deliver(let id):
            begin(id)
            if stored.contains(id) { problems.append("\(id) is stored, and sent again") }
            delivering.insert(id)
        case .confirm(let id):
            begin(id)
            if !stored.contains(id) { problems.append("\(id) is confirmed, but not stored") }
            confirming.insert(id)
        case .markStored(let id): stored.insert(id)
        case .finish(let id, _): if end(id) { sent.insert(id) }
        case .bury(let id, _): if end(id) { buried.insert(id) }
        case .skip(let id): if end(id) { skipped.insert(id) }
        case .note(_, let failures, _):
            if failures > OutboxMachine.mostFailures { problems.append("too many failures") }
        case .rename: break
        }
    }

    private mutating func begin(_ id: Int64) {
        if isPaused || !isOpen { problems.append("\(id) begins while the target is paused or closed") }
        if delivering.contains(id) || confirming.contains(id) { problems.append("\(id) begins twice") }
        if isEnded(id) || !taken.contains(id) { problems.append("\(id) begins after its end") }
    }

    private mutating func end(_ id: Int64) -> Bool {
        if isEnded(id) { problems.append("\(id) ends twice") }
        return !isEnded(id)
    }

    private func isEnded(_ id: Int64) -> Bool { sent.contains(id) || buried.contains(id) || skipped.contains(id) }

    private mutating func refill() {
        while let lane = refills.popFirst() {
            let count = min(sources[lane], 32)
            sources[lane] -= count
            let jobs = (0..<count).map {
                OutboxMachine.Job(id: nextID + Int64($0), lane: lane, captured: nextID + Int64($0))
            }
            nextID += Int64(count)
            taken.formUnion(jobs.map(\.id))
            handle(.jobs(jobs, lane: lane, isDrained: sources[lane] == 0))
        }
    }
}
