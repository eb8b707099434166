// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit
import Testing

@Suite("The flash in the tags of a picture")
struct FlashTagTests {
    @Test(
        "The EXIF tag states whether the flash fired, and whether it was automatic",
        arguments: [(FlashMode.on, true, 0x09), (.auto, true, 0x19), (.auto, false, 0x18), (.on, false, 0x08)])
    func exif(mode: FlashMode, hasFired: Bool, value: Int) throws {
        #expect(FlashUse(mode: mode, hasFired: hasFired).exif == value)
        var metadata = StillMetadata(captured: .now(), width: 4, height: 3)
        #expect(!metadata.exif().contains(sequence: [0x09, 0x92, 3, 0]))
        metadata.flash = FlashUse(mode: mode, hasFired: hasFired)
        #expect(metadata.exif().contains(sequence: [0x09, 0x92, 3, 0, 1, 0, 0, 0, UInt8(value), 0]))
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
