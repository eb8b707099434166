// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import Testing

@testable import ClipKit
@testable import ClipStore

@Suite("Progress of recordings")
struct ClipProgressTests {
    private static let fault = CaptureError(.noCamera, "was unplugged", subject: "camera")

    private static func recorded(_ path: String, _ ending: ClipEnding) -> ClipEvent {
        .recorded(
            Clip(
                path: path, start: .test(0), duration: .seconds(1), frameCount: 30, droppedCount: 0, soundDuration: nil,
                byteCount: 1, width: 2, height: 2, ending: ending))
    }

    @Test("A recording has the clip that began last, also if the one before is complete later")
    func segments() {
        var progress = ClipProgress(isTriggered: false, at: .test(0))
        progress.start(at: .test(1))
        progress.handle(.began(path: "/1.mp4", start: .test(1)), clip: 1, at: .test(2))
        progress.handle(.began(path: "/2.mp4", start: .test(1)), clip: 2, at: .test(3))
        progress.handle(Self.recorded("/1.mp4", .segment), clip: 1, at: .test(4))
        #expect(progress.status.state == .recording && progress.status.clip == 2 && progress.path == "/2.mp4")
        #expect(progress.status.since == .test(1) && progress.lastClip == 1)
        progress.handle(Self.recorded("/2.mp4", .stopped), clip: 2, at: .test(5))
        progress.handle(.finished(ClipSummary()), clip: nil, at: .test(5))
        progress.end(at: .test(6))
        #expect(progress.status.state == .off && progress.status.clip == nil && progress.lastClip == 2)
        #expect(progress.status.error == nil && progress.status.since == .test(6))
    }

    @Test("A lost camera leaves a recording on, with the error until another clip begins")
    func lost() {
        var progress = ClipProgress(isTriggered: false, at: .test(0))
        progress.start(at: .test(0))
        progress.handle(.began(path: "/1.mp4", start: .test(0)), clip: 1, at: .test(1))
        progress.handle(.lost(Self.fault), clip: nil, at: .test(2))
        progress.handle(Self.recorded("/1.mp4", .lost(Self.fault)), clip: 1, at: .test(2))
        #expect(progress.status.state == .recording && progress.status.error == Self.fault)
        #expect(progress.status.clip == nil && progress.path == nil)
        progress.handle(.began(path: "/2.mp4", start: .test(3)), clip: 2, at: .test(3))
        #expect(progress.status.error == nil && progress.status.clip == 2)
    }

    @Test("An armed camera is armed again after each clip, also after one that could not be finished")
    func armed() {
        var progress = ClipProgress(isTriggered: true, at: .test(0))
        progress.wait(after: Self.fault, at: .test(1))
        #expect(progress.status.state == .waiting && progress.status.error == Self.fault)
        progress.handle(.armed(byteLimit: 1), clip: nil, at: .test(2))
        progress.handle(.microphone("desk"), clip: nil, at: .test(2))
        progress.handle(.began(path: "/1.mp4", start: .test(0)), clip: 1, at: .test(3))
        #expect(progress.status.state == .recording && progress.status.microphone == "desk")
        let notice = Notice(.clipNotFinished, CaptureError(.inputOutput, "cannot be written", subject: "/1.mp4"))
        progress.handle(.notice(notice), clip: nil, at: .test(4))
        #expect(progress.status.state == .armed && progress.status.clip == nil && progress.status.since == .test(4))
        progress.handle(.finished(ClipSummary(ending: .failed(Self.fault))), clip: nil, at: .test(5))
        #expect(progress.status.microphone == nil && progress.status.error == Self.fault)
    }
}
