// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import ScheduleKit
import StillKit

// The state of a service as JSON. `OpenAPI` of the program describes these members.

extension ServiceStatus {
    /// The state as an object.
    package var json: JSONValue {
        .object([
            "version": .string(Version.current), "started": .string(start.iso8601), "ready": .bool(isReady),
            "faults": .array(faults.map(JSONValue.string)), "cameras": .array(cameras.map(\.json)),
            "series": .array(series.map(\.json)),
        ])
    }
}

extension CameraStatus {
    /// The state as an object.
    package var json: JSONValue {
        .object([
            "id": .string(id), "title": .string(title), "source": .string(source),
            "state": .string(health.state.rawValue),
            "message": .string(words), "series": .array(series.map(JSONValue.string)),
            "error": health.error?.json ?? .null, "last_picture": last?.json ?? .null,
            "recording": recording?.json ?? .null, "live": keptFrames?.json ?? .null,
        ])
    }
}

extension KeptFrames {
    /// Their size as an object.
    fileprivate var json: JSONValue {
        .object(["bytes": .integer(byteCount), "limit_bytes": .integer(limit)])
    }
}

extension ClipStatus {
    /// The state as an object.
    package var json: JSONValue {
        .object([
            "state": .string(state.rawValue), "since": .string(since.iso8601),
            "clip": clip.map(JSONValue.integer) ?? .null, "bytes": byteCount.map(JSONValue.integer) ?? .null,
            "microphone": .optional(microphone), "error": error?.json ?? .null, "session": session?.json ?? .null,
        ])
    }
}

extension ClipStatus.SessionClip {
    /// The clip as an object.
    fileprivate var json: JSONValue {
        .object([
            "id": .string(session), "since": .optional(since?.iso8601), "microphone": .optional(microphone),
        ])
    }
}

extension SeriesStatus {
    /// The state as an object.
    package var json: JSONValue {
        .object([
            "id": .string(id), "camera": .string(camera), "state": .string(state.rawValue),
            "message": .string(words), "schedule": .string(schedule), "error": error?.json ?? .null,
            "next_slot": nextSlot.map(\.json) ?? .null,
            "captured": .integer(summary.captured), "late": .integer(summary.late), "missed": .integer(summary.missed),
            "failed": .integer(summary.failed), "last_picture": last?.json ?? .null, "lag": lag.json,
            "storage": storage?.json ?? .null, "removable": .bool(isCreated),
            "films": .bool(hasFilms), "last_film": lastFilm?.json ?? .null,
        ])
    }

    /// The state in words.
    private var words: String {
        switch state {
        case .starting: "starts"
        case .running: health.state == .lost ? health.words(at: PipelineClock.system.now) : "runs"
        case .waiting: "waits: \(error?.description ?? "a fault"); it is retried"
        case .paused: "paused: slots that pass are missed"
        case .stopped: "stopped until it is resumed, or the service starts again"
        case .completed: "completed"
        }
    }
}

extension CaptureLag {
    /// The times as an object; null without pictures.
    fileprivate var json: JSONValue {
        guard count > 0 else { return .null }
        return .object([
            "last_ms": .milliseconds(last), "mean_ms": .milliseconds(mean), "largest_ms": .milliseconds(largest),
        ])
    }
}

extension StorageReport {
    /// The forecast as an object, without the path of the folder.
    fileprivate var json: JSONValue {
        .object([
            "free_bytes": .integer(freeBytes),
            "left_s": timeLeft.map { .integer(Int($0.components.seconds)) } ?? .null,
        ])
    }
}

extension Still {
    /// The picture as an object.
    fileprivate var json: JSONValue {
        .object([
            "captured": .string(captured.iso8601), "offset_ms": .milliseconds(offset), "late": .bool(isLate),
            "sequence": .integer(sequence), "bytes": .integer(byteCount), "width": .integer(width),
            "height": .integer(height),
        ])
    }
}

extension StillRecord {
    /// The picture as an object.
    package var json: JSONValue {
        .object([
            "id": .string(id.description), "camera": .string(camera), "series": .string(id.series),
            "captured": .string(still.captured.iso8601), "due": .string(due.iso8601),
            "offset_ms": .number(still.errorMilliseconds), "late": .bool(still.isLate),
            "sequence": .integer(still.sequence), "burst_index": .integer(still.burstIndex),
            "type": .string(mediaType), "bytes": .integer(still.byteCount), "width": .integer(still.width),
            "height": .integer(still.height), "sha256": .optional(still.sha256),
            "brightness": still.brightness.map(JSONValue.number) ?? .null,
            "sharpness": still.sharpness.map(JSONValue.number) ?? .null,
        ])
    }
}
