// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import StillKit
import Testing

@Suite("Rotation and mirroring")
struct OrientationTests {
    static let all = Rotation.allCases.flatMap { rotation in Flip.allCases.map { (rotation, $0) } }

    @Test("Two orientations in succession equal their composition", arguments: Orientation.allCases)
    func composition(first: Orientation) {
        let stored = RGBPicture.distinct(5, 3)
        for second in Orientation.allCases {
            let wanted = stored.shown(byExif: first.rawValue).shown(byExif: second.rawValue)
            #expect(stored.shown(byExif: first.then(second).rawValue) == wanted, "\(first), \(second)")
        }
    }

    @Test("A viewer that reads the tag shows the picture rotated and then mirrored", arguments: all)
    func tag(rotation: Rotation, flip: Flip) {
        let orientation = Orientation(rotation: rotation, flip: flip)
        let stored = RGBPicture.distinct(5, 3)
        let wanted = stored.turned(rotation).mirrored(flip)
        #expect(stored.shown(byExif: orientation.rawValue) == wanted)
        // Only one of the eight values fits.
        let fitting = (1...8).filter { stored.shown(byExif: $0) == wanted }
        #expect(fitting == [orientation.rawValue])
        #expect(orientation.swapsAxes == (wanted.width == stored.height))
    }
}
