// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import SystemBase

@testable import SessionModel

/// A session machine to which any event may happen at any time, and a model that checks it.
struct SessionWalk {
    private var machine: SessionMachine
    private var random: SplitMix
    private var now = ClockTime(nanoseconds: 1_000_000_000_000)
    private var wakeTime: ClockTime?
    /// The number of the pending picture.
    private var asked: Int?
    private var lastAsked = 0
    /// Pictures that were taken, and are neither released nor set aside.
    private var held: Set<Int> = []
    private var setAside: Set<Int> = []
    /// The violations that the model found.
    private(set) var faults: [String] = []
    /// The number of times that each phase was entered.
    private(set) var visits: [String: Int] = [:]
    private(set) var pictures = 0

    init(seed: UInt64) throws {
        random = SplitMix(seed)
        machine = SessionMachine(Self.session(&random), Self.plan(&random))
    }

    /// A given session, which has begun.
    init(_ session: SessionDescription, _ plan: SessionMachine.Plan) {
        random = SplitMix(0)
        machine = SessionMachine(session, plan)
        step(.begin)
    }

    /// Runs every sequence of `depth` events, and returns the first fault with the events that lead to it.
    func firstFault(within depth: Int, _ count: inout Int, after history: [Event] = []) -> String? {
        guard depth > 0, !machine.isOver else { return nil }
        for event in Event.allCases {
            var next = self
            next.step(next.input(event))
            count += 1
            if let fault = next.faults.first { return "\(fault) after \(history + [event])" }
            if let fault = next.firstFault(within: depth - 1, &count, after: history + [event]) { return fault }
        }
        return nil
    }

    /// Runs this many random inputs. A session that is over is followed by another.
    mutating func go(_ steps: Int) throws {
        for _ in 0..<steps where faults.isEmpty {
            if machine.isOver, random.next() % 4 == 0 { try beginAnew() }
            step(input())
        }
    }

    /// Cancels the session in its current phase.
    mutating func cancel() {
        step(.cancel)
        check(machine.isOver, "cancel does not end the session")
    }

    private mutating func beginAnew() throws {
        machine = SessionMachine(Self.session(&random), Self.plan(&random))
        (wakeTime, asked, lastAsked, held, setAside) = (nil, nil, 0, [], [])
        step(.begin)
    }

    private mutating func step(_ input: SessionMachine.Input) {
        let before = machine
        answer(input)
        let effects = machine.handle(input, at: now)
        if machine.phase != before.phase { visits[machine.phase.name, default: 0] += 1 }
        for effect in effects {
            account(effect, before)
            judge(effect, input, before)
        }
        judge(input, effects, before)
    }
}

/// The model.
extension SessionWalk {
    private mutating func check(_ holds: Bool, _ fault: @autoclosure () -> String) {
        if !holds { faults.append("\(fault()), in \(machine.phase)") }
    }

    private mutating func answer(_ input: SessionMachine.Input) {
        switch input {
        case .taken(let picture) where picture == asked:
            held.insert(picture)
            asked = nil
        case .failed(let picture, _) where picture == asked: asked = nil
        default: break
        }
    }

    private mutating func account(_ effect: SessionMachine.Effect, _ before: SessionMachine) {
        switch effect {
        case .capture(let taking), .record(let taking):
            check(asked == nil, "a picture is requested while another one is pending")
            check(taking.number == lastAsked + 1, "numbers are not consecutive")
            check(machine.hasCamera && machine.phase.picture == taking.number, "no phase expects this picture")
            check(machine.phase.stage == taking.stage, "a picture is requested for another stage")
            check(taking.role == machine.camera, "a picture is requested from another camera")
            if case .record = effect { check(machine.session.stages[taking.stage].clip != nil, "a picture is a clip") }
            (asked, lastAsked, pictures) = (taking.number, taking.number, pictures + 1)
        case .endClip(let picture): check(asked == picture, "a clip ends that is not pending")
        case .bring(let taking):
            check(
                asked == nil && taking.number == lastAsked + 1 && machine.phase.stage == taking.stage
                    && taking.role == nil, "a library picture is unexpected")
            (asked, lastAsked, pictures) = (taking.number, taking.number, pictures + 1)
        case .callOff(let picture):
            check(asked == picture, "a picture is cancelled that is not pending")
            asked = nil
        case .release(let pictures):
            held.subtract(pictures.map(\.number))
            setAside.subtract(pictures.map(\.number))
        case .setAside(let pictures):
            check(held.isSuperset(of: pictures.map(\.number)), "a picture is set aside that is not held")
            held.subtract(pictures.map(\.number))
            setAside.formUnion(pictures.map(\.number))
        case .wake(let time): wakeTime = time
        default: break
        }
    }

    private mutating func judge(
        _ input: SessionMachine.Input, _ effects: [SessionMachine.Effect], _ before: SessionMachine
    ) {
        check(asked == machine.phase.picture, "a picture is pending that the phase does not expect")
        if before.isOver {
            check(
                machine.phase == before.phase && machine.progress == before.progress, "a session changes after its end")
        }
        if input == .cancel { check(machine.isOver, "cancel does not end the session") }
        judgeCountdown(effects, before)
        judgeRetake(before)
        if case .emit(.refused)? = effects.first {
            check(effects.count == 1 && machine.phase == before.phase, "a refused input changes something")
        }
        if machine.phase != before.phase {
            let numbers = Set(machine.progress.pictures.map(\.number))
            check(numbers == held && machine.progress.setAside.count == setAside.count, "pictures are lost")
        }
    }

    /// Checks that a retake of one picture replaces that picture in its place, or none.
    private mutating func judgeRetake(_ before: SessionMachine) {
        for (old, new) in zip(before.progress.stages, machine.progress.stages) {
            check(
                new.retaken == nil || new.former?.contains { $0.number == new.retaken } == true,
                "a retake has no picture")
            guard let retaken = old.retaken, let former = old.former, new.retaken == nil, new.state == .done else {
                continue
            }
            let kept = zip(former, new.pictures).allSatisfy { $0 == $1 || $0.number == retaken }
            check(former.count == new.pictures.count && kept, "a retake of one picture changes others")
        }
    }

    /// Checks that a countdown is woken, and keeps its zero unless it is aborted.
    private mutating func judgeCountdown(_ effects: [SessionMachine.Effect], _ before: SessionMachine) {
        guard case .counting(let stage, let zero) = machine.phase else { return }
        check(machine.hasCamera && zero >= now, "a countdown runs without a camera")
        guard machine.phase != before.phase else { return }
        check(effects.contains { if case .wake = $0 { true } else { false } }, "a countdown is never woken")
        guard case .counting(stage, _) = before.phase else { return }
        let isAborted = effects.contains { if case .emit(.aborted) = $0 { true } else { false } }
        check(isAborted, "a second countdown runs")
    }
}

/// Effects that must not occur.
extension SessionWalk {
    private mutating func judge(
        _ effect: SessionMachine.Effect, _ input: SessionMachine.Input, _ before: SessionMachine
    ) {
        switch effect {
        case .emit(.cameraLost):
            check(
                input == .cameraLost && before.hasCamera,
                "a loss is reported of a camera that was released, or not open")
        case .emit(.cameraBack): check(before.isCameraLost, "a camera is back that was not lost")
        case .end: check(machine.isOver && !before.isOver, "a session ends twice")
        case .countdown(let left): check(left >= .zero, "a countdown passes zero")
        case .remaining(let left):
            check(machine.phase.name == "recording" && left > .zero, "no clip has this time left")
        case .useCamera:
            check(machine.camera != before.camera || !machine.hasCamera, "a camera that is open is requested again")
        default: break
        }
    }
}

/// The events.
extension SessionWalk {
    /// Events of the exhaustive walk.
    enum Event: CaseIterable {
        case wake, begun, taken, failed, gateHolds, gateFails, frontReady, backReady, cameraLost
        case trigger, skip, abort, switchCamera, bring, retake, accept, cancel
    }

    private mutating func input(_ event: Event) -> SessionMachine.Input {
        switch event {
        case .wake:
            now = max(now, wakeTime ?? now)
            return .wake
        case .begun: return .begun(picture: asked ?? 0)
        case .taken: return .taken(picture: asked ?? 0)
        case .failed: return .failed(picture: asked ?? 0, Self.error)
        case .gateHolds: return .gate(.steady, holds: true)
        case .gateFails: return .gate(.steady, holds: false)
        case .frontReady: return .cameraReady(.front)
        case .backReady: return .cameraReady(.back)
        case .cameraLost: return .cameraLost
        case .trigger: return .trigger
        case .skip: return .skip
        case .abort: return .abort
        case .switchCamera: return .switchCamera
        case .bring: return .bring()
        case .retake: return .retake(stage: 0)
        case .accept: return .accept
        case .cancel: return .cancel
        }
    }

    private mutating func input() -> SessionMachine.Input {
        switch random.next() % 100 {
        case 0..<32: return wake()
        case 32..<50:
            return random.next() % 8 == 0 ? .failed(picture: picture(), Self.error) : .taken(picture: picture())
        case 50..<66: return .gate(kind(), holds: random.next() % 8 != 0)
        case 66..<74: return .cameraReady(random.next() % 2 == 0 ? .front : .back)
        case 74..<78: return .begun(picture: picture())
        case 78..<90: return .trigger
        default: return rareInput()
        }
    }

    private mutating func rareInput() -> SessionMachine.Input {
        switch random.next() % 16 {
        case 0: random.next() % 16 == 0 ? .cancel : .begin
        case 1: .abort
        case 2: .switchCamera
        case 3: .retake(stage: Int(random.next() % 8) - 2)
        case 10: retakeOfOne()
        case 4: .accept
        case 5: random.next() % 4 == 0 ? .discard : .trigger
        case 6: .cameraLost
        case 7: .latency(.milliseconds(Int64(random.next() % 3000) - 200))
        case 8: .skip
        case 9: .bring()
        default: .begin
        }
    }

    /// A retake of a picture that the stage has, or of one that it does not have.
    private mutating func retakeOfOne() -> SessionMachine.Input {
        let stages = machine.progress.stages
        let stage = Int(random.next() % UInt64(stages.count))
        let numbers = stages[stage].pictures.map(\.number) + [99_999]
        return .retake(stage: stage, picture: numbers[Int(random.next() % UInt64(numbers.count))])
    }

    /// A wake, mostly at the requested moment, sometimes too early or much too late.
    private mutating func wake() -> SessionMachine.Input {
        let moment = max(now, wakeTime ?? now)
        switch random.next() % 16 {
        case 0: now = now + .milliseconds(10)
        case 1: now = moment + .seconds(Int64(random.next() % 100))
        default: now = moment
        }
        return .wake
    }

    private mutating func picture() -> Int { random.next() % 16 == 0 ? Int(random.next() % 64) - 8 : asked ?? 0 }

    private mutating func kind() -> GateRequest.Kind { GateRequest.Kind.allCases[Int(random.next() % 4)] }

    private static let error = CaptureError(.inputOutput, "no frame came")

    private static func plan(_ random: inout SplitMix) -> SessionMachine.Plan {
        SessionMachine.Plan(
            hasSeveralCameras: random.next() % 4 != 0, knowsTutorial: random.next() % 2 == 0,
            showing: .milliseconds(Int64(random.next() % 2) * 1000))
    }

    private static func session(_ random: inout SplitMix) -> SessionDescription {
        let count = Int(random.next() % 4)
        var session = SessionDescription(
            name: "walk", stages: (0...count).map { stage("\($0)", &random) })
        session.start = random.next() % 2 == 0 ? .now : .trigger
        session.nextStages = random.next() % 3 == 0 ? .trigger : .now
        session.countdown = .seconds(Int64(random.next() % 4))
        session.abort = SessionDescription.AbortPolicy.allCases[Int(random.next() % 3)]
        session.keepsAborted = random.next() % 2 == 0
        session.remembersTutorial = random.next() % 2 == 0
        session.tutorial = random.next() % 3 == 0 ? [TutorialPage("one"), TutorialPage("two")] : []
        session.gates = gates(&random)
        return session
    }

    private static func stage(_ name: String, _ random: inout SplitMix) -> SessionStage {
        var stage = SessionStage(name: name)
        stage.camera = [CameraRole?.none, .front, .back][Int(random.next() % 3)]
        stage.isSkippable = random.next() % 2 == 0
        stage.pictures = Int(random.next() % 4)
        stage.clip = random.next() % 4 == 0 ? .milliseconds(Int64(500 + random.next() % 4000)) : nil
        stage.sequence = random.next() % 2 == 0 ? .triggered : .timed(.milliseconds(700))
        stage.gates = random.next() % 3 == 0 ? gates(&random) : nil
        return stage
    }

    private static func gates(_ random: inout SplitMix) -> [GateRequest] {
        GateRequest.Kind.allCases.filter { _ in random.next() % 4 == 0 }.map { kind in
            var gate = GateRequest(kind, GateRequest.Failure.allCases[Int(random.next() % 3)])
            gate.limit = .seconds(Int64(random.next() % 4))
            gate.expiry = random.next() % 2 == 0 ? .abort : .proceed
            return gate
        }
    }
}
