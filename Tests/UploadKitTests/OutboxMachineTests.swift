// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import UploadKit

@Suite("The outbox of a target")
struct OutboxMachineTests {
    @Test func `Pictures are sent in their order, as many at a time as the target takes`() {
        var outbox = Outbox(parallel: 2)
        #expect(outbox.load(1...5) == [.deliver(1), .deliver(2)])
        #expect(outbox.arrive(2) == [.finish(2, .hash), .deliver(3)])
        #expect(outbox.arrive(1) == [.finish(1, .hash), .deliver(4)])
    }

    @Test func `The newest picture is sent first if a source wants that`() {
        var outbox = Outbox(lanes: [.init(order: .newest)])
        #expect(outbox.load(1...3) == [.deliver(3)])
        outbox.machine.handle(.jobs([Outbox.job(9)], lane: 0, isDrained: true), at: outbox.now).expectNone()
        #expect(outbox.arrive(3) == [.finish(3, .hash), .deliver(9)])
    }

    @Test func `A picture that has to be read back is confirmed before it counts as sent`() {
        var outbox = Outbox()
        _ = outbox.load(1...1)
        #expect(outbox.handle(.delivered(1, .stored)) == [.markStored(1), .confirm(1)])
        #expect(outbox.handle(.confirmed(1, .readBack)) == [.finish(1, .readBack)])
        #expect(outbox.machine.count == 0)
    }

    @Test func `A picture that was stored before a restart is confirmed, and not sent again`() {
        var outbox = Outbox()
        let job = OutboxMachine.Job(id: 7, lane: 0, captured: 7, isStored: true)
        #expect(outbox.handle(.jobs([job], lane: 0, isDrained: true)) == [.confirm(7)])
    }

    @Test func `A target that does not answer is tried with one picture, later each time`() throws {
        var outbox = Outbox(parallel: 3)
        #expect(outbox.load(1...3).count == 3)
        for id in Int64(1)...3 { outbox.fail(id, .unreachable("down", pause: nil)).expectNone() }
        var pauses: [Double] = []
        for _ in 0..<12 {
            let pause = try #require(outbox.machine.wake) - outbox.now.steady
            pauses.append(Double(pause) / 1e9)
            let effects = outbox.pass(pause)
            #expect(effects.count == 1)
            let id = try #require(effects.first?.delivered)
            outbox.fail(id, .unreachable("down", pause: nil)).expectNone()
        }
        for (pause, expected) in zip(pauses, [5.0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]) {
            #expect((expected * 0.8...expected * 1.2).contains(pause))
        }
    }

    @Test func `The probes of a dead target take different pictures`() throws {
        var outbox = Outbox()
        var tried: Set<Int64> = []
        var effects = outbox.load(1...4)
        for _ in 0..<4 {
            let id = try #require(effects.first?.delivered)
            tried.insert(id)
            outbox.fail(id, .unreachable("down", pause: nil)).expectNone()
            effects = outbox.pass(try #require(outbox.machine.wake) - outbox.now.steady)
        }
        #expect(tried == [1, 2, 3, 4])
    }

    @Test func `After an answer, the order is as before and all transfers begin`() throws {
        var outbox = Outbox(parallel: 2)
        _ = outbox.load(1...4)
        for id in Int64(1)...2 { outbox.fail(id, .unreachable("down", pause: nil)).expectNone() }
        #expect(outbox.pass(60_000_000_000) == [.deliver(3)])
        #expect(outbox.arrive(3) == [.finish(3, .hash), .deliver(1), .deliver(2)])
        #expect(outbox.machine.condition == .ready)
    }

    @Test func `A target gets the pause that it asks for, up to six hours`() {
        var outbox = Outbox()
        _ = outbox.load(1...1)
        outbox.fail(1, .unreachable("busy", pause: .seconds(90))).expectNone()
        #expect(outbox.pass(89_000_000_000) == [])
        #expect(outbox.pass(1_000_000_000) == [.deliver(1)])
        outbox.fail(1, .unreachable("busy", pause: .seconds(1_000_000))).expectNone()
        #expect(outbox.pass(6 * 3600 * 1_000_000_000) == [.deliver(1)])
    }

    @Test func `A picture that the target refuses is buried, and the next one is sent`() {
        var outbox = Outbox()
        _ = outbox.load(1...2)
        #expect(outbox.fail(1, .refused("too large")) == [.bury(1, "too large"), .deliver(2)])
    }

    @Test func `A picture at which the target fails alone does not keep the others, and is buried in the end`() throws {
        var outbox = Outbox()
        _ = outbox.load(1...1)
        var (sent, buried) = (Set<Int64>(), false)
        var next: Int64 = 2
        var effects = outbox.fail(1, .unreachable("reset", pause: nil))
        for _ in 0..<1000 where !buried {
            effects += outbox.handle(.jobs([Outbox.job(next)], lane: 0, isDrained: true))
            next += 1
            effects += outbox.pass(max(60_000_000_000, (outbox.machine.wake ?? 0) - outbox.now.steady))
            while !effects.isEmpty {
                switch effects.removeFirst() {
                case .deliver(1): effects += outbox.fail(1, .unreachable("reset", pause: nil))
                case .deliver(let id): effects += outbox.arrive(id)
                case .finish(let id, _): sent.insert(id)
                case .bury(1, "reset"): buried = true
                default: break
                }
            }
        }
        #expect(buried)
        #expect(sent.count >= OutboxMachine.mostFailures - 1)
    }

    @Test func `A wrong clock counts against no picture, and a step of the clock tries again`() {
        var outbox = Outbox()
        _ = outbox.load(1...2)
        outbox.fail(1, .clock("a day behind")).expectNone()
        #expect(outbox.machine.wake != nil)
        #expect(outbox.machine.condition.fault?.kind == .clock)
        #expect(outbox.handle(.networkChanged) == [])
        #expect(outbox.handle(.clockStepped) == [.deliver(2)])
    }

    @Test func `New credentials try a target again that refused the old ones`() {
        var outbox = Outbox()
        _ = outbox.load(1...1)
        outbox.fail(1, .access("wrong password")).expectNone()
        #expect(outbox.handle(.clockStepped) == [])
        #expect(outbox.handle(.credentialsChanged) == [.deliver(1)])
    }

    @Test func `A name that another file has is replaced, a few times`() {
        var outbox = Outbox()
        _ = outbox.load(1...1)
        for count in 1...5 {
            let expected: [OutboxMachine.Effect] = [.note(1, failures: count, "taken"), .rename(1), .deliver(1)]
            #expect(outbox.fail(1, .nameTaken("taken")) == expected)
        }
        #expect(outbox.fail(1, .nameTaken("taken")) == [.bury(1, "taken")])
    }

    @Test func `A picture that arrives damaged is sent again later, and others before`() {
        var outbox = Outbox()
        _ = outbox.load(1...2)
        _ = outbox.handle(.delivered(1, .stored))
        #expect(outbox.fail(1, .damaged("hash differs")) == [.note(1, failures: 1, "hash differs"), .deliver(2)])
        #expect(outbox.arrive(2) == [.finish(2, .hash)])
        #expect(outbox.pass(3600_000_000_000) == [.deliver(1)])
    }

    @Test func `A paused target starts no transfer, and goes on when it is resumed`() {
        var outbox = Outbox()
        #expect(outbox.handle(.pause(true)) == [])
        #expect(outbox.load(1...2) == [])
        #expect(outbox.machine.wake == nil)
        #expect(outbox.handle(.pause(false)) == [.deliver(1)])
    }

    @Test func `Outside of its hours a target ends the transfer that runs, and starts none`() {
        var outbox = Outbox()
        _ = outbox.load(1...2)
        #expect(outbox.handle(.open(false)) == [])
        #expect(outbox.arrive(1) == [.finish(1, .hash)])
        #expect(outbox.machine.condition == .closed)
        #expect(outbox.handle(.open(true)) == [.deliver(2)])
    }

    @Test func `Pictures that are too old are skipped, unless the clock is in doubt`() {
        var outbox = Outbox(lanes: [.init(skipOlder: .seconds(10))])
        outbox.now.wall = nil
        _ = outbox.handle(.pause(true))
        _ = outbox.load(1...3)
        outbox.now.wall = 10_002
        #expect(outbox.handle(.pause(false)) == [.skip(1), .deliver(2)])
    }

    @Test func `A picture that a person drops while it is sent is not sent again`() {
        var outbox = Outbox()
        _ = outbox.load(1...2)
        #expect(outbox.handle(.drop(2)) == [.skip(2)])
        #expect(outbox.handle(.drop(1)) == [])
        #expect(outbox.fail(1, .unreachable("down", pause: nil)) == [.skip(1)])
    }

    @Test func `A lane asks for pictures before it runs empty, and once`() {
        var machine = OutboxMachine(lanes: [.init()], parallel: 1, seed: 1)
        let now = OutboxMachine.Moment(steady: 0, wall: 0)
        #expect(machine.handle(.time, at: now) == [.refill(lane: 0, most: 192)])
        #expect(machine.handle(.time, at: now) == [])
        let jobs = (1...192).map { Outbox.job(Int64($0)) }
        #expect(machine.handle(.jobs(jobs, lane: 0, isDrained: false), at: now) == [.deliver(1)])
        var asked: Int?
        for id in Int64(1)...192 where asked == nil {
            let effects = machine.handle(.delivered(id, .confirmed(.hash)), at: now)
            if effects.contains(.refill(lane: 0, most: 192)) { asked = 192 - Int(id) }
        }
        #expect(asked == 64)
    }

    @Test func `Lanes take turns`() {
        var outbox = Outbox(lanes: [.init(), .init()])
        _ = outbox.load(1...3)
        let others = (11...13).map { OutboxMachine.Job(id: $0, lane: 1, captured: $0) }
        _ = outbox.handle(.jobs(others, lane: 1, isDrained: true))
        var order: [Int64] = [1]
        while let id = order.last, order.count < 6 {
            for case .deliver(let next) in outbox.arrive(id) { order.append(next) }
        }
        #expect(order == [1, 11, 2, 12, 3, 13])
    }
}

/// A machine with its clocks.
struct Outbox {
    var machine: OutboxMachine
    var now = OutboxMachine.Moment(steady: 0, wall: 0)

    init(lanes: [OutboxMachine.Lane] = [.init()], parallel: Int = 1) {
        machine = OutboxMachine(lanes: lanes, parallel: parallel, seed: 1)
        for lane in lanes.indices { _ = machine.handle(.jobs([], lane: lane, isDrained: true), at: now) }
    }

    static func job(_ id: Int64) -> OutboxMachine.Job { .init(id: id, lane: 0, captured: id) }

    mutating func handle(_ input: OutboxMachine.Input) -> [OutboxMachine.Effect] { machine.handle(input, at: now) }

    mutating func load(_ ids: ClosedRange<Int64>) -> [OutboxMachine.Effect] {
        handle(.jobs(ids.map(Self.job), lane: 0, isDrained: true))
    }

    mutating func arrive(_ id: Int64) -> [OutboxMachine.Effect] { handle(.delivered(id, .confirmed(.hash))) }

    mutating func fail(_ id: Int64, _ fault: TransferFault) -> [OutboxMachine.Effect] { handle(.failed(id, fault)) }

    mutating func pass(_ nanoseconds: Int64) -> [OutboxMachine.Effect] {
        now.steady += nanoseconds
        return handle(.time)
    }
}

extension OutboxMachine.Effect {
    /// The picture whose delivery begins; `nil` for other effects.
    fileprivate var delivered: Int64? { if case .deliver(let id) = self { id } else { nil } }
}

extension TargetCondition {
    fileprivate var fault: TargetFault? { if case .failing(let fault) = self { fault } else { nil } }
}

extension [OutboxMachine.Effect] {
    func expectNone(_ location: SourceLocation = #_sourceLocation) {
        #expect(isEmpty, sourceLocation: location)
    }
}
