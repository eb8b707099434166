// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// A part of the stream in which a service sends the frames of a camera to a program of the same machine.
///
/// Each record is one line of JSON. The bytes of a frame follow its line:
///
///     {"type": "open", "loan": "4f0c…", "frame_ns": 33333333, "flash": false}
///     {"type": "format", "caps": "video/x-raw, format=(string)YUY2, …"}
///     {"type": "frame", "time_ns": 81234567890, "size": 614400}
///     {"type": "end", "code": "no-camera", "message": "is not connected", …}
package enum FrameRecord: Sendable, Hashable {
    /// The camera is open, and its picture is steady.
    case open(FrameOffer)
    /// The caps of the frames that follow.
    case format(caps: String)
    /// A frame: when it was captured, on `CLOCK_MONOTONIC`, and the number of its bytes, which follow.
    case frame(time: ClockTime, byteCount: Int)
    /// The last record: the error that lost the camera.
    case end(CaptureError)

    /// The maximum size of a frame: 8K with four bytes a pixel fits.
    package static let mostFrameBytes = 256 << 20

    /// The line of the record, with its end.
    package var line: String { json.text + "\n" }

    private var json: JSONValue {
        switch self {
        case .open(let offer):
            .object([
                "type": .string("open"), "loan": .string(offer.loan),
                "frame_ns": .integer(Int(offer.frameDuration.nanoseconds)), "flash": .bool(offer.hasFlash),
            ])
        case .format(let caps): .object(["type": .string("format"), "caps": .string(caps)])
        case .frame(let time, let count):
            .object([
                "type": .string("frame"), "time_ns": .integer(Int(clamping: time.nanoseconds)), "size": .integer(count),
            ])
        case .end(let error):
            .object([
                "type": .string("end"), "code": .string(error.code.description), "message": .string(error.message),
                "subject": error.subject.map(JSONValue.string), "advice": error.advice.map(JSONValue.string),
            ])
        }
    }

    /// Reads a line.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if it is not a record.
    package init(line: String) throws(CaptureError) {
        let node = try JSONNode(line, path: "frames", levels: 2, mostValues: 32)
        switch try node.text("type") {
        case "open":
            let loan = try node.text("loan")
            guard FrameOffer.isLoan(loan) else { throw node.wrong("has no valid loan") }
            self = .open(
                FrameOffer(
                    loan: loan, frameDuration: .nanoseconds(try node.integer("frame_ns", 1...3_600_000_000_000)),
                    hasFlash: try node.flag("flash")))
        case "format": self = .format(caps: try node.text("caps"))
        case "frame":
            self = .frame(
                time: ClockTime(nanoseconds: UInt64(try node.integer("time_ns", 0...Int.max))),
                byteCount: try node.integer("size", 1...Self.mostFrameBytes))
        case "end": self = .end(try CaptureError(node))
        case let type: throw node.wrong("\(type.quoted) is no record")
        }
    }
}

/// A camera that a service has opened for a program.
package struct FrameOffer: Sendable, Hashable {
    /// The name of the loan, for requests about the camera while it lasts.
    package let loan: String
    /// The time from one frame to the next.
    package let frameDuration: Duration
    /// `true` if the service fires a flash for pictures of the program.
    package let hasFlash: Bool

    package init(loan: String, frameDuration: Duration, hasFlash: Bool) {
        (self.loan, self.frameDuration, self.hasFlash) = (loan, frameDuration, hasFlash)
    }

    static func isLoan(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isWordCharacter }
    }
}

extension CaptureError {
    /// Reads an error that a service has sent.
    init(_ node: JSONNode) throws(CaptureError) {
        let name = try node.text("code")
        self.init(
            Code(named: name) ?? .temporary, try node.text("message").withoutControls,
            subject: try node.optionalText("subject")?.withoutControls,
            advice: try node.optionalText("advice")?.withoutControls)
    }

    /// Reads the problem (RFC 9457) of a request that failed.
    init(problem bytes: [UInt8], status: Int) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let node = try? JSONNode(text, path: "problem", levels: 2, mostValues: 32),
            let detail = try? node.text("detail"), let name = try? node.text("code")
        else {
            self.init(.temporary, "the service responded with status \(status)")
            return
        }
        let subject = (try? node.optionalText("subject")) ?? nil
        let advice = (try? node.optionalText("advice")) ?? nil
        let prefix = subject.map { "\($0): " } ?? ""
        self.init(
            Code(named: name) ?? .temporary,
            (detail.hasPrefix(prefix) ? String(detail.dropFirst(prefix.count)) : detail).withoutControls,
            subject: subject?.withoutControls, advice: advice?.withoutControls)
    }
}
