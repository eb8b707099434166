// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A state machine with the surroundings that send it events, and the rules that it must keep.
protocol ModelWorld {
    associatedtype Event

    /// The events that can come now.
    var possibleEvents: [Event] { get }
    /// The events so far.
    var history: [Event] { get }
    /// The rule that was broken; `nil` if all were kept.
    var fault: String? { get }

    mutating func step(_ event: Event)
}

extension ModelWorld {
    /// Goes through every sequence of at most `depth` events, up to the first fault.
    ///
    /// - Returns: the number of steps, and the faults with the events that led to them.
    func explore(_ depth: Int) -> (count: Int, faults: [String]) {
        var (count, faults) = (0, [String]())
        explore(depth, &count, &faults)
        return (count, faults)
    }

    private func explore(_ depth: Int, _ count: inout Int, _ faults: inout [String]) {
        guard depth > 0, faults.isEmpty else { return }
        for event in possibleEvents {
            var next = self
            next.step(event)
            count += 1
            if let fault = next.fault { faults.append("\(fault) after \(next.history)") }
            next.explore(depth - 1, &count, &faults)
        }
    }
}
