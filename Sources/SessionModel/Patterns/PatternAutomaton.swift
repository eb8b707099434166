// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The nondeterministic automaton of an expression.
struct PatternAutomaton: Sendable {
    /// The result of a match.
    struct Run {
        fileprivate(set) var isMatch = false
        /// Counts the states that the match entered, and the sets in which it searched for a scalar.
        fileprivate(set) var steps = 0
    }

    private enum State: Sendable {
        /// Consumes a scalar of this set, and continues with the next state.
        case scalar(set: Int)
        /// Continues with the next state if the condition holds.
        case assertion(PatternAssertion)
        /// Continues with the next state, and with this one.
        case branch(Int)
        case jump(Int)
        case accept
    }

    private var states: [State] = []
    /// The sets of the expression. The copies of a repetition share theirs.
    private var sets: [ScalarSet] = []

    init(_ node: PatternNode) {
        let plan = Plan(node, &sets)
        add(plan)
        states.append(.accept)
    }

    // MARK: Compiling

    /// A syntax tree with the sets by their numbers.
    private indirect enum Plan {
        case scalar(Int)
        case assertion(PatternAssertion)
        case sequence([Plan])
        case choice([Plan])
        case repeated(Plan, least: Int, most: Int?)

        init(_ node: PatternNode, _ sets: inout [ScalarSet]) {
            switch node {
            case .scalar(let set):
                self = .scalar(sets.count)
                sets.append(set)
            case .assertion(let assertion): self = .assertion(assertion)
            case .sequence(let nodes): self = .sequence(nodes.map { Plan($0, &sets) })
            case .choice(let nodes): self = .choice(nodes.map { Plan($0, &sets) })
            case .repeated(let node, let least, let most):
                self = .repeated(Plan(node, &sets), least: least, most: most)
            }
        }
    }

    private mutating func add(_ plan: Plan) {
        switch plan {
        case .scalar(let set): states.append(.scalar(set: set))
        case .assertion(let assertion): states.append(.assertion(assertion))
        case .sequence(let plans): for plan in plans { add(plan) }
        case .choice(let plans): add(choice: plans)
        case .repeated(let plan, let least, let most): add(plan, least: least, most: most)
        }
    }

    private mutating func add(choice plans: [Plan]) {
        var jumps: [Int] = []
        for plan in plans.dropLast() {
            let branch = addOpen()
            add(plan)
            jumps.append(addOpen())
            states[branch] = .branch(states.count)
        }
        if let last = plans.last { add(last) }
        for jump in jumps { states[jump] = .jump(states.count) }
    }

    private mutating func add(_ plan: Plan, least: Int, most: Int?) {
        for _ in 0..<(most == nil ? max(0, least - 1) : least) { add(plan) }
        guard let most else { return least > 0 ? addLoop(plan) : addOptionalLoop(plan) }
        var branches: [Int] = []
        for _ in least..<max(least, most) {
            branches.append(addOpen())
            add(plan)
        }
        for branch in branches { states[branch] = .branch(states.count) }
    }

    private mutating func addLoop(_ plan: Plan) {
        let start = states.count
        add(plan)
        states.append(.branch(start))
    }

    private mutating func addOptionalLoop(_ plan: Plan) {
        let branch = addOpen()
        add(plan)
        states.append(.jump(branch))
        states[branch] = .branch(states.count)
    }

    /// Adds a state whose target is set later, and returns its number.
    private mutating func addOpen() -> Int {
        states.append(.accept)
        return states.count - 1
    }

    // MARK: Matching

    /// Matches a whole text.
    func run(_ text: String) -> Run {
        var run = Run()
        let scalars = Array(text.unicodeScalars)
        var front = Front(states: states.count, sets: sets.count)
        enter(0, &front, nil, scalars.first, &run)
        for (index, scalar) in scalars.enumerated() {
            guard !front.current.isEmpty else { return run }
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            for state in front.advance() {
                guard case .scalar(let set) = states[state], has(set, scalar, &front, &run) else { continue }
                enter(state + 1, &front, scalar, after, &run)
            }
        }
        run.isMatch = front.current.contains { if case .accept = states[$0] { true } else { false } }
        return run
    }

    /// The states of a match, with the memory that it needs.
    private struct Front {
        /// The states that consume the next scalar, or accept.
        var current: [Int] = []
        /// The states that are still to be entered.
        var open: [Int] = []
        /// Counts the scalars.
        var round = 1
        /// The round in which a state was last entered: a state is entered once a round.
        var entered: [Int]
        /// The round in which a set was last asked for the scalar, and its answer. A set is asked once a round, however
        /// many copies of it a repetition made.
        var asked: [(round: Int, answer: Bool)]

        init(states: Int, sets: Int) {
            entered = Array(repeating: 0, count: states)
            asked = Array(repeating: (0, false), count: sets)
        }

        /// Begins the next round, and returns the states of the last one.
        mutating func advance() -> [Int] {
            round += 1
            defer { current.removeAll(keepingCapacity: true) }
            return current
        }
    }

    private func has(_ set: Int, _ scalar: Unicode.Scalar, _ front: inout Front, _ run: inout Run) -> Bool {
        if front.asked[set].round != front.round {
            run.steps += 1
            front.asked[set] = (front.round, sets[set].contains(scalar))
        }
        return front.asked[set].answer
    }

    /// Enters a state, and all that follow it without a scalar, between these two scalars.
    private func enter(
        _ start: Int, _ front: inout Front, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?, _ run: inout Run
    ) {
        front.open.append(start)
        while let state = front.open.popLast() {
            guard front.entered[state] != front.round else { continue }
            front.entered[state] = front.round
            run.steps += 1
            switch states[state] {
            case .scalar, .accept: front.current.append(state)
            case .jump(let target): front.open.append(target)
            case .branch(let target): front.open += [target, state + 1]
            case .assertion(let assertion):
                if assertion.holds(between: before, after) { front.open.append(state + 1) }
            }
        }
    }
}
