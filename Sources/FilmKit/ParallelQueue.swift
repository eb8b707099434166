// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Calls a function for several values at a time, and returns the results in the order of the values.
struct ParallelQueue<Input: Sendable, Output: Sendable>: Sendable {
    /// A result, and the place of its value.
    typealias Done = (place: Int, output: Output)

    private let inputs: [Input]
    private let width: Int
    private let body: @Sendable (Input) async -> Output
    /// The next value to call the function for, and the next one to return.
    private var following = 0, due = 0
    private var ready: [Int: Output] = [:]

    /// - Parameters:
    ///   - width: At most this many calls run, or wait for ``next(_:)``, at a time.
    ///   - body: The function.
    init(
        _ inputs: some Sequence<Input>, width: Int = FrameQueue.width,
        _ body: @escaping @Sendable (Input) async -> Output
    ) { (self.inputs, self.width, self.body) = (Array(inputs), width, body) }

    /// `true` if all results were returned.
    var isComplete: Bool { due == inputs.count }

    /// Returns the next value with its result; `nil` after the last one.
    mutating func next(_ group: inout ThrowingTaskGroup<Done, any Error>) async throws -> (Input, Output)? {
        guard !isComplete else { return nil }
        start(&group)
        while ready[due] == nil, let (place, output) = try await group.next() { ready[place] = output }
        guard let output = ready.removeValue(forKey: due) else { return nil }
        due += 1
        start(&group)
        return (inputs[due - 1], output)
    }

    private mutating func start(_ group: inout ThrowingTaskGroup<Done, any Error>) {
        while following < inputs.count, following - due < width {
            let (place, input, body) = (following, inputs[following], body)
            group.addTask { (place, await body(input)) }
            following += 1
        }
    }
}
