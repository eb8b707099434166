// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("Sources instead of a camera", .timeLimit(.minutes(5)))
struct SourceTests {
    @Test(
        "A fragment may end in caps, in JPEG or after a single frame, and sizes are negotiated with it",
        arguments: [
            ["videotestsrc is-live=true ! video/x-raw,format=NV12", "--framerate", "5"],
            ["videotestsrc is-live=true ! jpegenc", "--width", "160", "--height", "120"],
            ["videotestsrc num-buffers=1"], ["videotestsrc is-live=true ! video/x-raw,framerate=0/1"],
        ])
    func fragments(arguments: [String]) async throws {
        let command = try Command()
        let outcome = try await RunningCommand(
            ["snap", "-o", "a.jpg", "--source"] + arguments, in: command.folder
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try command.bytes("a.jpg").isJPEG)
    }

    @Test(
        "A source that cannot become a picture is an error with the reason",
        arguments: [
            ("videotestsrc ! video/x-raw,format=GRAY8,width=65536,height=2", "larger than jpeg", 78),
            ("fakesrc", "does not declare", 78), ("audiotestsrc", "neither raw video nor JPEG", 78),
            ("videotestsrc num-buffers=0", "the source ended", 69), ("nosuchsrc", "nosuchsrc", 78),
        ] as [(String, String, Int32)])
    func impossible(source: String, message: String, status: Int32) async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--source", source, "-o", "a.jpg")
        #expect(outcome.status == status)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(try command.files().isEmpty)
    }
}
