// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ConnectionKit
import NIOCore
import Testing

@testable import ServeKit

@Suite("Uploads at the same time")
struct UploadPlacesTests {
    private let start = NIODeadline.uptimeNanoseconds(1)

    @Test("Slow uploads give way to a newcomer, and fast ones do not")
    func slow() {
        var places = UploadPlaces()
        for _ in 0..<UploadPlaces.most { _ = places.begin("a", at: start) }
        #expect(places.begin("b", at: start + .seconds(5)) == .refused)
        for number in [1, 3, 4] { places.receive(UploadPlaces.slowRate * 6, of: number) }
        #expect(places.begin("b", at: start + .seconds(6)) == .replacing(5, lost: 2))
        #expect(places.begin("c", at: start + .seconds(6)) == .refused)
        places.end(1)
        #expect(places.begin("c", at: start + .seconds(6)) == .admitted(6))
    }
}
#endif
