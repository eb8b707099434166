// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import VideoKit

/// A finished recording in a file.
public struct Clip: Sendable, Hashable {
    /// The path of the file, an ordinary MP4 file.
    public let path: String
    /// When the first picture was captured.
    public let start: WallTime
    /// The duration of the longest track.
    public let duration: Duration
    /// The number of pictures.
    public let frameCount: Int
    /// The pictures that the encoder or the disk was too slow for.
    public let droppedCount: Int
    /// The duration of the sound; `nil` if there is none.
    public let soundDuration: Duration?
    /// The size of the file.
    public let byteCount: Int
    /// The size of the pictures in pixels.
    public let width: Int, height: Int
    /// Why it ended.
    public let ending: ClipEnding
}

/// The video of a recording.
public struct ClipFormat: Sendable, Hashable {
    /// The size in pixels.
    public let width: Int, height: Int
    /// Bits a second.
    public let bitRate: Int
    /// The name of the encoder: an element of GStreamer, or `camera`.
    public let encoder: String
}

/// An event during a recording. New events may be added: give every switch a default.
public enum ClipEvent: Sendable {
    /// The camera is being opened.
    case opening(source: String)
    /// Pictures are encoded in this format from now on.
    case encoding(ClipFormat)
    /// Pictures before a trigger are kept, in at most so many bytes.
    case armed(byteLimit: Int)
    /// A file began.
    case began(path: String, start: WallTime)
    /// A file is complete and durable.
    case recorded(Clip)
    /// The microphone with this name records; `nil` if no microphone does any more.
    case microphone(String?)
    /// The loudness of the microphone in dBFS, ten times a second: the peak of its loudest channel.
    case level(peak: Double)
    /// The camera is lost; another file begins when it is back.
    case lost(CaptureError)
    /// The camera is back, this long after it was lost.
    case recovered(after: Duration)
    /// A message for the user that does not end the recording.
    case notice(Notice)
    /// The recording has ended; the last event of all.
    case finished(ClipSummary)
}

/// The outcome of a recording.
public struct ClipSummary: Sendable, Hashable {
    /// Why it ended.
    public var ending = CaptureEnding.completed
    /// The number of files.
    public var clipCount = 0
    /// The number of pictures in them.
    public var frameCount = 0
    /// The pictures that the encoder or the disk was too slow for.
    public var droppedCount = 0
    /// Their size in bytes.
    public var byteCount = 0

    /// Creates the outcome of a recording without files.
    package init(ending: CaptureEnding = .completed) { self.ending = ending }

    /// Adds a file.
    mutating func add(_ clip: Clip) {
        clipCount += 1
        frameCount += clip.frameCount
        droppedCount += clip.droppedCount
        byteCount += clip.byteCount
    }
}

extension ClipEvent {
    /// The event as an object for programs. Names stay the same between releases, and new ones may be added. `at` is the time
    /// of the first picture for `began` and `recorded`, and the present for all others.
    package var json: JSONValue {
        switch self {
        case .opening(let source): .event("opening", ["source": .string(source)])
        case .encoding(let format):
            .event(
                "encoding",
                [
                    "width": .integer(format.width), "height": .integer(format.height),
                    "bit_rate": .integer(format.bitRate), "encoder": .string(format.encoder),
                ])
        case .armed(let limit): .event("armed", ["byte_limit": .integer(limit)])
        case .began(let path, let start):
            .event("began", [JSONValue.Member(name: "file", value: .string(path))], at: start)
        case .recorded(let clip): .event("recorded", clip.members, at: clip.start)
        case .microphone(let name): .event("microphone", ["name": .optional(name)])
        case .level(let peak): .event("level", ["peak_db": .number(peak)])
        case .lost(let error): .event("lost", ["error": error.json])
        case .recovered(let span): .event("recovered", ["after_ms": .milliseconds(span)])
        case .notice(let notice): JSONValue.event("notice", notice.members)
        case .finished(let summary): .event("finished", ["summary": summary.json])
        }
    }
}

extension Clip {
    fileprivate var members: [JSONValue.Member] {
        let members: KeyValuePairs<String, JSONValue> = [
            "file": .string(path), "duration_ms": .milliseconds(duration), "frames": .integer(frameCount),
            "dropped": .integer(droppedCount), "sound_ms": soundDuration.map(JSONValue.milliseconds) ?? .null,
            "bytes": .integer(byteCount), "width": .integer(width), "height": .integer(height),
            "reason": .string(ending.word), "error": ending.error?.json ?? .null,
        ]
        return members.map { JSONValue.Member(name: $0, value: $1) }
    }
}

extension ClipSummary {
    fileprivate var json: JSONValue {
        let (name, error): (String, JSONValue) =
            switch ending {
            case .completed: ("completed", .null)
            case .stopped: ("stopped", .null)
            case .failed(let error): ("failed", error.json)
            }
        return .object([
            "ending": .string(name), "clips": .integer(clipCount), "frames": .integer(frameCount),
            "dropped": .integer(droppedCount), "bytes": .integer(byteCount), "error": error,
        ])
    }
}
