// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite struct `The text that a program gets from its caller` {
    private static func bytes(_ texts: [UInt8]...) -> [UInt8] { texts.flatMap { $0 + [0] } }
    /// The German "für" in Latin-1.
    private static let latin: [UInt8] = [0x66, 0xFC, 0x72]

    @Test func `Arguments and variables in UTF-8 are accepted, and so are variables of others`() throws {
        try ProgramArguments.check(
            Self.bytes(Array("snap".utf8), Array("für.jpg".utf8)),
            Self.bytes(Array("GST_CAPTURE_OUTPUT=für".utf8), Array("OTHER=".utf8) + Self.latin), "GST_CAPTURE_")
        try ProgramArguments.check(variables: "GST_CAPTURE_")
    }

    @Test func `An argument that is not UTF-8 is refused, because its file would get another name`() {
        let error = #expect(throws: CaptureError.self) {
            try ProgramArguments.check(Self.bytes(Array("-o".utf8), Self.latin), [], "GST_CAPTURE_")
        }
        #expect(error?.code == .usage && error?.message == "is not UTF-8")
    }

    @Test func `A text that was cut off within a character is accepted`() throws {
        try ProgramArguments.check([], Array("GST_CAPTURE_OUTPUT=f".utf8) + [0xC3], "GST_CAPTURE_")
    }

    @Test func `A variable that is not UTF-8 is refused`() {
        #expect(throws: CaptureError.self) {
            try ProgramArguments.check([], Self.bytes(Array("GST_CAPTURE_OUTPUT=".utf8) + Self.latin), "GST_CAPTURE_")
        }
    }
}
