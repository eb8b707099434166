// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase
import Testing

@testable import FrameLink

@Suite("Frame records")
struct FrameRecordTests {
    @Test(
        "A record is read as it was written",
        arguments: [
            FrameRecord.open(FrameOffer(loan: "4f0c", frameDuration: .milliseconds(33), hasFlash: true)),
            .format(caps: #"video/x-raw, format=(string)"YUY2", width=(int)640"#),
            .frame(time: ClockTime(nanoseconds: 81_234_567_890), byteCount: 614_400),
            .end(CaptureError(.noCamera, "is not connected", subject: "/dev/video0", advice: "reconnect it")),
            .end(CaptureError(.temporary, "a \"quoted\" \n reason")),
        ])
    func roundTrip(record: FrameRecord) throws {
        let line = record.line
        #expect(line.last == "\n" && line.dropLast().allSatisfy { $0 != "\n" })
        let read = try FrameRecord(line: String(line.dropLast()))
        if case .end(let error) = record, case .end(let other) = read {
            #expect((error.code, error.subject, error.advice) == (other.code, other.subject, other.advice))
            #expect(!other.message.contains("\n"))
        } else {
            #expect(read == record)
        }
    }

    @Test(
        "A line that is no record is an error",
        arguments: [
            "", "frame", "[]", "{}", #"{"type": "other"}"#, #"{"type": "frame", "time_ns": 1}"#,
            #"{"type": "frame", "time_ns": -1, "size": 1}"#, #"{"type": "frame", "time_ns": 1, "size": 0}"#,
            #"{"type": "frame", "time_ns": 1, "size": 99999999999999999999}"#,
            #"{"type": "open", "loan": "../../x", "frame_ns": 1, "flash": true}"#,
            #"{"type": "open", "loan": "a", "frame_ns": 0, "flash": true}"#, #"{"type": {"a": 1}}"#,
            #"{"type": "end"}"#, "{\"type\": \"format\"", String(repeating: "{", count: 1000),
        ])
    func hostile(line: String) {
        #expect(throws: CaptureError.self) { try FrameRecord(line: line) }
    }

    @Test("An unknown code of an error is temporary")
    func unknownCode() throws {
        let record = try FrameRecord(line: #"{"type": "end", "code": "new", "message": "a\u001b[31mb"}"#)
        guard case .end(let error) = record else { throw CaptureError.calledOff }
        #expect(error.code == .temporary)
        #expect(!error.message.unicodeScalars.contains("\u{1B}"))
    }
}

extension CaptureError {
    fileprivate static let calledOff = CaptureError(.temporary, "not an end")
}
