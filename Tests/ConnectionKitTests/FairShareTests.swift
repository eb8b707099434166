// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

@testable import ConnectionKit

@Suite("Shares of networks")
struct FairShareTests {
    @Test("Newcomers have places while there are any")
    func free() {
        var share = FairShare(most: 2)
        #expect(share.admit("a", .firm) == .admitted(1))
        #expect(share.admit("a", .firm) == .admitted(2))
        #expect(share.admit("b", .firm) == .refused)
        share.free(1)
        #expect(share.admit("b", .firm) == .admitted(3))
        #expect(share.count == 2)
    }

    @Test("An idle holder gives way, the oldest of the network with the most places first")
    func idle() {
        var share = FairShare(most: 4)
        for network in ["a", "b", "b", "b"] { _ = share.admit(network, .idle) }
        share.change(2, to: .firm)
        #expect(share.admit("c", .idle) == .replacing(5, lost: 3))
        #expect(share.admit("d", .idle) == .replacing(6, lost: 4))
        // All have one place now: an idle holder still gives way to a network that has none.
        #expect(share.admit("e", .idle) == .replacing(7, lost: 1))
    }

    @Test("A network at its limit gets only the place of an idle holder of the same network")
    func limitOfNetwork() {
        var share = FairShare(most: 8, mostOfNetwork: 2)
        for network in ["b", "a", "a"] { _ = share.admit(network, .idle) }
        #expect(share.admit("a", .idle) == .replacing(4, lost: 2))
        share.change(3, to: .firm)
        share.change(4, to: .firm)
        #expect(share.admit("a", .idle) == .refused)
        #expect(share.admit("b", .idle) == .admitted(5))
    }

    @Test("A network that returns with as many places as the others takes none from them")
    func equal() {
        var share = FairShare(most: 4)
        for network in ["a", "a", "b", "b"] { _ = share.admit(network, .idle) }
        #expect(share.admit("a", .idle) == .replacing(5, lost: 1))
        #expect(share.admit("b", .idle) == .replacing(6, lost: 3))
    }

    @Test("A lasting holder gives way only to a network that has two places less")
    func lasting() {
        var share = FairShare(most: 4)
        for _ in 0..<4 { _ = share.admit("a", .lasting) }
        #expect(share.admit("a", .lasting) == .refused)
        #expect(share.admit("b", .lasting) == .replacing(5, lost: 1))
        #expect(share.admit("b", .lasting) == .replacing(6, lost: 2))
        #expect(share.admit("b", .lasting) == .refused)
        #expect(share.admit("a", .lasting) == .refused)
        #expect(share.admit("c", .lasting) == .replacing(7, lost: 3))
    }

    @Test("A holder that has lost its place cannot change or free that of another")
    func lost() {
        var share = FairShare(most: 1)
        _ = share.admit("a", .idle)
        #expect(share.admit("b", .firm) == .replacing(2, lost: 1))
        share.change(1, to: .idle)
        share.free(1)
        #expect(share.admit("c", .firm) == .refused)
    }

    @Test("Four networks with many connections never keep out a fifth one")
    func crowd() {
        var share = FairShare(most: 256, mostOfNetwork: 64)
        var clients: [Int] = []
        for index in 0..<2000 {
            switch share.admit("network \(index % 4)", .idle) {
            case .admitted, .replacing: break
            case .refused: Issue.record("\(index) is refused")
            }
            if index % 100 == 99 {
                switch share.admit("home", .firm) {
                case .admitted(let number), .replacing(let number, _): clients.append(number)
                case .refused: Issue.record("the client is refused after \(index)")
                }
            }
        }
        #expect(share.count == 256 && clients.count == 20)
    }
}

@Suite("Limit of descriptors")
struct DescriptorLimitTests {
    @Test("Connections use at most a quarter of the descriptors")
    func connections() {
        #expect(DescriptorLimit.connections(with: 4096) == 256)
        #expect(DescriptorLimit.connections(with: 1024) == 256)
        #expect(DescriptorLimit.connections(with: 256) == 64)
        #expect(DescriptorLimit.connections(with: 20) == 16)
    }
}
#endif
