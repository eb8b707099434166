// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipList
import PipelineKit
import ScheduleKit
import StillKit

/// The state of a series, at one moment.
public struct SeriesStatus: Sendable {
    /// The activity of a series.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The series looks for its camera, or reads its ledger.
        case starting
        /// Its slots are captured, or missed with a reason.
        case running
        /// A fault keeps the series from running; it is retried.
        case waiting
        /// A client paused it. Slots that pass are missed.
        case paused
        /// A client stopped it, until it is resumed or the service starts again.
        case stopped
        /// It has reached its own end.
        case completed
    }

    /// Its ID.
    public let id: String
    /// The ID of its camera.
    public let camera: String
    /// The activity of the series.
    public let state: State
    /// The fault that keeps it from running; `nil` in any other state than ``State/waiting``.
    public let error: CaptureError?
    /// Its schedule, in words.
    public let schedule: String
    /// The slot that is due next; `nil` if it is unknown, or there is none.
    public let nextSlot: Slot?
    /// Its pictures and losses since the service started.
    public let summary: CaptureSummary
    /// The last picture since the service started.
    public let last: Still?
    /// The camera, as this series sees it.
    public let health: CameraHealth
    /// The interval of its schedule; `nil` for a schedule without one.
    public let interval: Duration?
    /// Its signs of life; `nil` if it does not run.
    public let pulse: Pulse?
    /// How late its pictures were.
    public let lag: CaptureLag
    /// The last report about its disk and its limits; `nil` before the first picture.
    public let storage: StorageReport?
    /// `true` if it makes a film of each day.
    public var hasFilms = false
    /// The last complete film; `nil` if there is none.
    public var lastFilm: StoredClip?
    /// `true` if a client created it; otherwise it belongs to the configuration.
    public internal(set) var isCreated = false
}

/// The times from slots to their frames, of all pictures since the service started.
public struct CaptureLag: Sendable, Hashable {
    /// The number of pictures.
    public private(set) var count = 0
    /// The time of the last picture; negative if its frame came before the slot.
    public private(set) var last = Duration.zero
    /// The largest distance from a slot, early or late.
    public private(set) var largest = Duration.zero
    private var sum = Duration.zero

    /// The mean of all pictures.
    public var mean: Duration { count == 0 ? .zero : sum / count }

    /// Creates the times of no pictures.
    public init() {}

    /// Adds the time of a picture.
    mutating func add(_ lag: Duration) {
        count += 1
        (last, sum) = (lag, sum + lag)
        largest = max(largest, lag < .zero ? .zero - lag : lag)
    }
}

extension SeriesStatus {
    /// A camera that delivers frames may be silent for this long.
    private static let longestSilence = Duration.seconds(10)

    /// The reasons why the series does not run, or has no frames.
    fileprivate var reasonsNotReady: [String] {
        let reason: String? =
            switch state {
            case .starting: "starts"
            case .waiting: error?.description ?? "waits after a fault"
            case .paused, .stopped, .completed: nil
            case .running: silence(at: PipelineClock.system.now)
            }
        return reason.map { ["\(id): \($0)"] } ?? []
    }

    /// Says why no frames flow; `nil` if they do, or if the camera rests.
    private func silence(at now: ClockTime) -> String? {
        switch health.state {
        case .lost: return "\(camera) is \(health.words(at: now))"
        case .closed, .opening: return "\(camera) is being opened"
        case .resting: return nil
        case .delivering: break
        }
        guard let pulse, pulse.restsUntil == nil else { return nil }
        guard let last = pulse.lastFrame else { return "\(camera) has delivered no frame" }
        let span = now - last
        return span < Self.longestSilence ? nil : "\(camera) has delivered no frame for \(span.components.seconds)s"
    }
}

/// The state of a camera, at one moment.
public struct CameraStatus: Sendable {
    /// Its ID.
    public let id: String
    /// Its name for people.
    public let title: String
    /// The camera in the settings, for people.
    public let source: String
    /// The IDs of its series.
    public let series: [String]
    /// The state that matters most among those that its jobs see.
    public let health: CameraHealth
    /// ``health`` in words.
    public let words: String
    /// The last picture since the service started, of a series or a request.
    public let last: Still?
    /// Why the last requested picture could not be stored; `nil` if it was, or if that was more than five minutes ago.
    public let storageFault: CaptureError?
    /// The state of its recordings, with the clip of a session; `nil` if it records none.
    public var recording: ClipStatus?
    /// The frames that are kept for live photos, in memory; `nil` if none are.
    public var keptFrames: KeptFrames?
}

/// The frames that wait in memory for live photos.
public struct KeptFrames: Sendable, Hashable {
    /// Their size in bytes.
    public var byteCount: Int
    /// The maximum of that size.
    public var limit: Int
}

/// The state of a service, at one moment.
public struct ServiceStatus: Sendable {
    /// The cameras, in the order of the configuration.
    public let cameras: [CameraStatus]
    /// The series, in the order of the configuration.
    public let series: [SeriesStatus]
    /// When the service started.
    public let start: WallTime
    /// The number of the last event that this state includes.
    public let lastEvent: Int
    /// Faults of the service itself, one line for each.
    package var serviceFaults: [String] = []
    /// The error that keeps product events from being stored; `nil` if there is none. The service is ready all the same.
    public var analyticsFault: CaptureError?

    /// `true` if no fault keeps a series from running, frames flow for all series that run, and requested pictures can be
    /// stored.
    public var isReady: Bool { reasonsNotReady.isEmpty }

    /// The reasons why the service is not ready, one line for each.
    public var reasonsNotReady: [String] { series.flatMap(\.reasonsNotReady) + storageFaults + serviceFaults }

    private var storageFaults: [String] {
        cameras.compactMap { camera in camera.storageFault.map { "\(camera.id): a picture was not stored: \($0)" } }
    }

    /// The faults, one line for each.
    public var faults: [String] {
        cameras.filter { $0.health.state == .lost }.map { "\($0.id): \($0.words)" }
            + series.compactMap { series in series.error.map { "\(series.id): \($0)" } } + storageFaults + serviceFaults
            + [analyticsFault.map { "analytics: \($0)" }].compactMap(\.self)
    }
}
