// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import RecordKit

@Suite("The state machine of a collection")
struct SyncMachineTests {
    private static let second: Int64 = 1_000_000_000
    private static let down = RecordRemoteFault.temporary("down", pause: nil)

    private static func ids(_ count: Int) -> [RecordID] {
        (0..<count).compactMap { RecordID("\(10_000_000 + $0)-0000-4000-8000-000000000000") }
    }

    /// Returns a machine that pushes, and the effect of its next push.
    private func pushing(_ ids: [RecordID], poll: Duration = .seconds(60)) -> SyncMachine {
        var machine = SyncMachine(hasETag: true, poll: poll, seed: 1)
        #expect(machine.handle(.time, at: 0) == [.list(isFull: false)])
        #expect(machine.handle(.listed(SyncListing()), at: 0) == [.merge(nil)])
        #expect(machine.handle(.merged(isLast: true), at: 0) == [.find(after: 0)])
        #expect(machine.handle(.dirty(ids, last: 9), at: 0) == [ids.first.map { .push($0) } ?? .find(after: 9)])
        return machine
    }

    @Test("A round lists, merges and pushes, and the next one begins after the poll interval")
    func round() {
        let ids = Self.ids(2)
        var machine = pushing(ids)
        #expect(machine.handle(.pushed(ids[0], .done), at: 0) == [.push(ids[1])])
        #expect(machine.handle(.pushed(ids[1], .done), at: 0) == [.find(after: 9)])
        #expect(machine.handle(.dirty([], last: 9), at: 0) == [])
        let wake = machine.wake ?? 0
        #expect((48 * Self.second...72 * Self.second).contains(wake))
        #expect(machine.handle(.time, at: wake - 1) == [])
        #expect(machine.handle(.time, at: wake) == [.list(isFull: false)])
    }

    @Test("A shorter pause between rounds begins at once, a longer one after the next round")
    func poll() {
        let ids = Self.ids(1)
        var machine = pushing(ids)
        for input in [SyncMachine.Input.pushed(ids[0], .done), .dirty([], last: 9)] { _ = machine.handle(input, at: 0) }
        let before = machine.wake ?? 0
        #expect(machine.handle(.poll(3600 * Self.second), at: 0) == [] && machine.wake == before)
        for input in [SyncMachine.Input.time, .listed(SyncListing()), .merged(isLast: true), .dirty([], last: 9)] {
            _ = machine.handle(input, at: before)
        }
        #expect((machine.wake ?? 0) - before >= 2800 * Self.second)
        #expect(machine.handle(.poll(10 * Self.second), at: before) == [])
        #expect((8 * Self.second...12 * Self.second).contains((machine.wake ?? 0) - before))
    }

    @Test("The first list is full")
    func first() {
        var machine = SyncMachine(hasETag: false, seed: 1)
        #expect(machine.handle(.time, at: 0) == [.list(isFull: true)])
        #expect(machine.handle(.paged, at: 0) == [.page])
    }

    @Test("A change during a round begins another one at its end")
    func changedMeanwhile() {
        let ids = Self.ids(1)
        var machine = pushing(ids)
        #expect(machine.handle(.changed, at: 0) == [])
        _ = machine.handle(.pushed(ids[0], .done), at: 0)
        #expect(machine.handle(.dirty([], last: 9), at: 0) == [.list(isFull: false)])
    }

    @Test("Pauses after faults double up to an hour, differ, and end at the first answer")
    func pauses() {
        var machine = SyncMachine(hasETag: true, seed: 7)
        var (now, pauses) = (Int64(0), [Int64]())
        for _ in 0..<20 {
            _ = machine.handle(.time, at: now)
            _ = machine.handle(.listingFailed(Self.down), at: now)
            pauses.append((machine.wake ?? now) - now)
            now = machine.wake ?? now
        }
        #expect((4 * Self.second...6 * Self.second).contains(pauses[0]))
        #expect((8 * Self.second...12 * Self.second).contains(pauses[1]))
        #expect(pauses.allSatisfy { $0 <= 4320 * Self.second } && pauses[19] >= 2880 * Self.second)
        #expect(Set(pauses).count == pauses.count)
        _ = machine.handle(.time, at: now)
        _ = machine.handle(.listed(SyncListing()), at: now)
        _ = machine.handle(.merged(isLast: true), at: now)
        #expect(machine.condition == .ready)
    }

    @Test("A backend that asks for a pause gets it, up to six hours, and a person can end it")
    func wantedPause() {
        for (wanted, least) in [(Duration.seconds(900), Int64(900)), (.seconds(1_000_000), 21_600)] {
            var machine = SyncMachine(hasETag: true, seed: 1)
            _ = machine.handle(.time, at: 0)
            _ = machine.handle(.listingFailed(.temporary("429", pause: wanted)), at: 0)
            #expect(machine.wake == least * Self.second)
            // A change does not end it.
            #expect(machine.handle(.changed, at: 1) == [])
            #expect(machine.handle(.retry, at: 1) == [.list(isFull: false)])
        }
    }

    @Test("A list that was interrupted goes on with its next page")
    func interrupted() {
        var machine = SyncMachine(hasETag: false, seed: 1)
        _ = machine.handle(.time, at: 0)
        _ = machine.handle(.paged, at: 0)
        _ = machine.handle(.listingFailed(Self.down), at: 0)
        #expect(machine.handle(.retry, at: 1) == [.page])
        // Another fault begins it again.
        _ = machine.handle(.listingFailed(.damaged("no JSON")), at: 1)
        #expect(machine.handle(.retry, at: 2) == [.list(isFull: true)])
    }

    @Test("A record that fails is pushed after all others, and does not end their round")
    func suspect() {
        let ids = Self.ids(3)
        var machine = pushing(ids)
        #expect(machine.handle(.pushed(ids[0], .failed(Self.down)), at: 0) == [])
        guard case .failing = machine.condition else {
            Issue.record("the collection does not fail")
            return
        }
        let now = 10 * Self.second
        #expect(machine.handle(.time, at: now) == [.list(isFull: false)])
        _ = machine.handle(.listed(SyncListing()), at: now)
        #expect(machine.handle(.merged(isLast: true), at: now) == [.find(after: 0)])
        #expect(machine.handle(.dirty(ids, last: 9), at: now) == [.push(ids[1])])
        #expect(machine.handle(.pushed(ids[1], .done), at: now) == [.push(ids[2])])
        #expect(machine.condition == .ready)
        #expect(machine.handle(.pushed(ids[2], .refused), at: now) == [.find(after: 9)])
        #expect(machine.handle(.dirty([], last: 9), at: now) == [.push(ids[0])])
        #expect(machine.handle(.pushed(ids[0], .failed(Self.down)), at: now) == [])
        #expect(machine.condition == .ready)
    }

    @Test("Pulls go on while pushes fail")
    func pullsGoOn() {
        let ids = Self.ids(1)
        var machine = pushing(ids)
        _ = machine.handle(.pushed(ids[0], .failed(.temporary("500", pause: .seconds(3600)))), at: 0)
        let wake = machine.wake ?? 0
        #expect(wake <= 72 * Self.second)
        #expect(machine.handle(.time, at: wake) == [.list(isFull: false)])
        _ = machine.handle(.listed(SyncListing()), at: wake)
        #expect(machine.handle(.merged(isLast: true), at: wake) == [])
    }

    @Test("A record that others change all the time waits for the next round")
    func contended() {
        let ids = Self.ids(1)
        var machine = pushing(ids)
        for _ in 0..<3 { #expect(machine.handle(.pushed(ids[0], .again), at: 0) == [.push(ids[0])]) }
        #expect(machine.handle(.pushed(ids[0], .again), at: 0) == [.find(after: 9)])
        #expect(machine.handle(.dirty(ids, last: 10), at: 0) == [.find(after: 10)])
        #expect(machine.handle(.dirty([], last: 10), at: 0) == [])
        #expect(machine.wake ?? 0 < Self.second)
    }

    private func listing(_ change: (inout SyncListing) -> Void) -> SyncListing {
        var listing = SyncListing()
        change(&listing)
        return listing
    }

    @Test("A list that is older, or misses a change, is followed by a full one, which decides")
    func suspicion() {
        for doubt in [listing { $0.isOlder = true }, listing { $0.isComplete = false }] {
            var machine = SyncMachine(hasETag: true, seed: 1)
            _ = machine.handle(.time, at: 0)
            #expect(machine.handle(.listed(doubt), at: 0) == [.list(isFull: true)])
            var lost = machine
            #expect(
                lost.handle(.listed(listing { ($0.present, $0.missing, $0.known) = (4, 1, 5) }), at: 0) == [
                    .ask(.older)
                ])
            var empty = machine
            #expect(empty.handle(.listed(listing { $0.known = 5 }), at: 0) == [.ask(.emptied(known: 5))])
            #expect(machine.handle(.listed(listing { ($0.present, $0.known) = (5, 5) }), at: 0) == [.merge(nil)])
        }
    }

    @Test(
        "More than twenty deletions and a tenth are a question",
        arguments: [(20, 100, false), (21, 100, true), (21, 210, false), (22, 210, true), (1, 1, false)])
    func deletions(count: Int, known: Int, isAsked: Bool) {
        var machine = SyncMachine(hasETag: true, seed: 1)
        _ = machine.handle(.time, at: 0)
        let effects = machine.handle(.listed(listing { ($0.deletions, $0.known) = (count, known) }), at: 0)
        #expect(effects == [isAsked ? .ask(.deletions(count, of: known)) : .merge(nil)])
    }

    @Test("A stopped collection does nothing until a person answers, also after a restart")
    func stopped() {
        var machine = SyncMachine(hasETag: true, question: .older, seed: 1)
        #expect(machine.wake == nil && machine.condition == .stopped(.older))
        for input in [SyncMachine.Input.time, .changed, .retry, .forgotten] {
            #expect(machine.handle(input, at: 1) == [])
        }
        #expect(machine.handle(.answered(.push), at: 1) == [.list(isFull: true)])
        #expect(machine.handle(.listed(listing { ($0.isOlder, $0.present) = (true, 1) }), at: 1) == [.merge(.push)])
        #expect(machine.handle(.merged(isLast: false), at: 1) == [.merge(.push)])
        #expect(machine.handle(.merged(isLast: true), at: 1) == [.find(after: 0)])
        var answered = SyncMachine(hasETag: true, question: .older, answer: .accept, seed: 1)
        #expect(answered.handle(.time, at: 1) == [.list(isFull: true)])
    }

    @Test("Accepting holds for the question that the person saw")
    func otherQuestion() {
        var machine = SyncMachine(hasETag: true, question: .deletions(21, of: 100), answer: .accept, seed: 1)
        _ = machine.handle(.time, at: 1)
        #expect(machine.handle(.listed(listing { $0.known = 100 }), at: 1) == [.ask(.emptied(known: 100))])
        #expect(machine.condition == .stopped(.emptied(known: 100)))
    }

    @Test("A store that cannot be written ends the round, and the next one begins after a pause")
    func storeFailed() {
        var machine = pushing(Self.ids(1))
        #expect(machine.handle(.storeFailed("the disk is full"), at: 0) == [])
        #expect(machine.wake ?? 0 >= 4 * Self.second)
        guard case .failing(let fault) = machine.condition else {
            Issue.record("the collection does not fail")
            return
        }
        #expect(fault.reason == "the disk is full")
    }

    @Test("Questions are read from their text, and nothing else is")
    func questions() {
        for question in [SyncQuestion.older, .emptied(known: 3), .deletions(21, of: 100)] {
            #expect(SyncQuestion(code: question.code) == question)
            #expect(question.text.hasSuffix("push yours, or accept?"))
        }
        for text in ["", "older 1", "emptied", "emptied x", "deletions 1", "other"] {
            #expect(SyncQuestion(code: text) == nil)
        }
    }

    @Test("A hundred thousand random inputs never push while stopped, and never leave the machine without a wake-up")
    func walk() {
        var generator = SplitMix(3)
        var machine = SyncMachine(hasETag: false, seed: 3)
        var (now, effects, pushes, questions) = (Int64(0), [SyncMachine.Effect](), 0, 0)
        let ids = Self.ids(10)
        for _ in 0..<100_000 {
            now += Int64.random(in: 0...Self.second, using: &generator)
            let input: SyncMachine.Input
            if effects.isEmpty || Int.random(in: 0..<10, using: &generator) == 0 {
                input =
                    [.time, .changed, .retry, .forgotten, .answered(.push), .answered(.accept)]
                    .randomElement(using: &generator) ?? .time
            } else {
                input = answer(effects.removeFirst(), ids, &generator)
            }
            if case .storeFailed = input { effects = [] }
            let more = machine.handle(input, at: now)
            effects += more
            for effect in more {
                if case .push = effect { pushes += 1 }
                if case .ask = effect { questions += 1 }
                if case .stopped = machine.condition, case .push = effect { Issue.record("it pushes while stopped") }
            }
            effects.removeAll { if case .ask = $0 { true } else { false } }
            if effects.count > 1 { Issue.record("it wants \(effects) at once") }
            if effects.isEmpty, machine.wake == nil {
                guard case .stopped = machine.condition else {
                    Issue.record("nothing wakes the machine")
                    return
                }
            }
        }
        #expect(pushes > 1000 && questions > 100)
    }

    /// Returns a random answer to an effect.
    private func answer(
        _ effect: SyncMachine.Effect, _ ids: [RecordID], _ generator: inout SplitMix
    ) -> SyncMachine.Input {
        let chance = Int.random(in: 0..<20, using: &generator)
        if chance == 0 { return .storeFailed("the disk is full") }
        let fault: RecordRemoteFault =
            [Self.down, .unauthorized("token"), .damaged("JSON"), .missing("404"), .refused("400")][chance % 5]
        switch effect {
        case .list, .page:
            if chance < 4 { return .listingFailed(fault) }
            if chance < 8 { return .paged }
            return .listed(
                listing {
                    $0.isComplete = chance != 9
                    ($0.isOlder, $0.present, $0.known) = (chance == 10, chance == 11 ? 0 : 100, 100)
                    $0.deletions = chance == 12 ? 30 : 0
                })
        case .merge: return .merged(isLast: chance < 12)
        case .ask: return .time
        case .find(let place):
            guard place < 3, chance < 15 else { return .dirty([], last: place) }
            return .dirty(Array(ids.shuffled(using: &generator).prefix(3)), last: place + 1)
        case .push(let id):
            let results: [SyncPush] = [.done, .again, .needsPull, .refused, .failed(fault)]
            return .pushed(id, results[chance % 5])
        }
    }
}
