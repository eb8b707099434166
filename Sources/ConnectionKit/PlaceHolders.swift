// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service

/// The holders of the places of a ``FairShare``, by the numbers of their places.
package struct PlaceHolders<Holder: Sendable>: Sendable {
    private var holders: [Int: Holder] = [:]

    package init() {}

    /// Gives a newcomer the place of an admission. Returns the number of the place, `nil` if it was refused, and the
    /// holder that has lost its place.
    package mutating func add(_ newcomer: Holder, _ admission: FairShare.Admission) -> (number: Int?, loser: Holder?) {
        switch admission {
        case .refused: return (nil, nil)
        case .admitted(let number):
            holders[number] = newcomer
            return (number, nil)
        case .replacing(let number, let lost):
            holders[number] = newcomer
            return (number, holders.removeValue(forKey: lost))
        }
    }

    /// Forgets the holder of a place.
    package mutating func remove(_ number: Int) { holders[number] = nil }

    /// The holder of a place. A place that is not taken stays so.
    package subscript(number: Int) -> Holder? {
        get { holders[number] }
        set { if holders[number] != nil { holders[number] = newValue } }
    }

    /// The holders with the numbers of their places.
    package var all: [Int: Holder] { holders }
}
#endif
