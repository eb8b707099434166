// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import Testing

@testable import CameraKit

@Suite("Errors from opening a camera")
struct OpeningErrorTests {
    @Test(
        "Each error number of opening a camera has its code",
        arguments: [
            (EACCES, CaptureError.Code.permission), (EPERM, .permission), (EBUSY, .temporary), (EMFILE, .temporary),
            (ENODEV, .noCamera), (ENXIO, .noCamera), (ENOENT, .noCamera), (EIO, .inputOutput), (9999, .inputOutput),
        ])
    func codes(number: Int32, code: CaptureError.Code) {
        #expect(CaptureError.opening("/dev/video0", number).code == code)
    }

    @Test("The error of a camera without permission names the group to join")
    func group() {
        #expect(
            CaptureError.opening("/dev/video0", EACCES, group: .named("video")).description
                == "/dev/video0: permission denied; add the user to the group video (sudo usermod -aG video $USER), "
                + "then log in again")
    }

    @Test(
        "The error of a camera that only root may use does not advise joining root",
        arguments: [OwningGroup.named("root"), .number(0)])
    func root(group: OwningGroup) {
        let advice = CaptureError.opening("/dev/video0", EACCES, group: group).advice
        #expect(advice?.hasPrefix("only root may use it") == true)
    }

    @Test("An input/output error of a query means that the camera does not answer, and the advice is to reconnect")
    func query() {
        let error = CaptureError.querying("/dev/video0", EIO)
        #expect(error.code == .inputOutput)
        #expect(error.description == "/dev/video0: does not answer; reconnect it")
        for number in [ENODEV, ENXIO, EBUSY] {
            #expect(CaptureError.querying("/dev/video0", number) == .opening("/dev/video0", number))
        }
        #expect(CaptureError.querying("/dev/video0", ENOTTY) == .notACamera("/dev/video0"))
    }

    @Test("The name of a group is found if its entry is longer than the first buffer", arguments: [1, 3, 16384])
    func longGroup(size: Int) {
        #expect(CaptureError.name(ofGroup: 0, size: size) == "root")
    }

    @Test("A group without a name, as in a container, is given by its number")
    func namelessGroup() {
        let advice = CaptureError.opening("/dev/video0", EACCES, group: .number(44)).advice
        #expect(advice?.contains("--group-add 44") == true)
        #expect(advice?.contains("root") == false)
    }
}
