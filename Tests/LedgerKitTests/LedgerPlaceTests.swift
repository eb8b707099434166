// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import LedgerKit

@Suite("The place of a ledger")
struct LedgerPlaceTests {
    @Test("Pictures in the folder of the series have relative paths, and other pictures have absolute paths")
    func paths() {
        let place = LedgerPlace("/srv/garden/.gst-capture/a.ledger")
        #expect(place.relative("/srv/garden/x/1.jpg") == "x/1.jpg")
        #expect(place.relative("/srv/garden2/1.jpg") == "/srv/garden2/1.jpg")
        #expect(place.relative("/srv/garden/../other/1.jpg") == "/srv/other/1.jpg")
        #expect(place.absolute("x/1.jpg") == "/srv/garden/x/1.jpg")
        #expect(LedgerPlace("/srv/a.ledger").relative("/srv/1.jpg") == "1.jpg")
    }
}
