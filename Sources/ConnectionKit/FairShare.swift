// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service

/// A number of places that networks share, so that none of them keeps the others out.
///
/// If all places are taken, a newcomer gets that of an idle holder, and else the one of a network that has at least two
/// more than its own. The oldest such holder of the network with the most places loses its place.
package struct FairShare: Sendable {
    /// The use that a holder makes of its place.
    package enum Use: Sendable {
        /// Nothing: it can lose the place to any newcomer.
        case idle
        /// It can lose the place to a network that has fewer.
        case lasting
        /// It keeps the place.
        case firm
    }

    /// The answer to a newcomer.
    package enum Admission: Sendable, Equatable {
        /// The newcomer has a place, with this number.
        case admitted(Int)
        /// The newcomer has a place, and the holder of another one has lost it.
        case replacing(Int, lost: Int)
        case refused
    }

    private struct Place {
        let number: Int
        let network: String
        var use: Use
    }

    /// In the order of their numbers.
    private var places: [Place] = []
    private var lastNumber = 0
    private let most: Int
    private let mostOfNetwork: Int

    /// - Parameters:
    ///   - most: The number of places.
    ///   - mostOfNetwork: How many of them a network can have; `nil` for all.
    package init(most: Int, mostOfNetwork: Int? = nil) {
        (self.most, self.mostOfNetwork) = (most, min(most, mostOfNetwork ?? most))
    }

    /// The number of places that are taken.
    package var count: Int { places.count }

    /// Gives a place to a newcomer.
    package mutating func admit(_ network: String, _ use: Use) -> Admission {
        let own = places.count { $0.network == network }
        guard own >= mostOfNetwork || places.count >= most else { return .admitted(add(network, use)) }
        let victim = own >= mostOfNetwork ? oldestIdle(of: network) : victim(for: network, own)
        guard let victim else { return .refused }
        let lost = places.remove(at: victim).number
        return .replacing(add(network, use), lost: lost)
    }

    /// Changes what a holder does with its place. Does nothing if it has lost the place.
    package mutating func change(_ number: Int, to use: Use) {
        if let index = places.firstIndex(where: { $0.number == number }) { places[index].use = use }
    }

    /// Frees a place. Does nothing if the holder has lost it.
    package mutating func free(_ number: Int) { places.removeAll { $0.number == number } }

    private mutating func add(_ network: String, _ use: Use) -> Int {
        lastNumber += 1
        places.append(Place(number: lastNumber, network: network, use: use))
        return lastNumber
    }

    private func oldestIdle(of network: String) -> Int? {
        places.firstIndex { $0.network == network && $0.use == .idle }
    }

    /// Returns the index of the place that a newcomer gets; `nil` if it gets none.
    private func victim(for network: String, _ own: Int) -> Int? {
        let counts = Dictionary(places.lazy.map { ($0.network, 1) }, uniquingKeysWith: +)
        func largest(_ use: Use, _ isLarger: (Int) -> Bool) -> Int? {
            places.indices.filter { places[$0].use == use && isLarger(counts[places[$0].network] ?? 0) }
                // The first of equals, which is the oldest.
                .reduce(nil as Int?) { best, index in
                    guard let best else { return index }
                    return counts[places[index].network, default: 0] > counts[places[best].network, default: 0]
                        ? index : best
                }
        }
        return largest(.idle) { $0 > own } ?? oldestIdle(of: network) ?? largest(.lasting) { $0 > own + 1 }
    }
}
#endif
