// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import FrameMeasures
import OverlayCompositor
import ScheduleKit
import SystemBase

/// A capture of test frames that has ended: its summary and its events.
package struct CaptureRecord: Sendable {
    package let summary: CaptureSummary
    package let events: [CaptureEvent]

    package init(summary: CaptureSummary, events: [CaptureEvent]) {
        (self.summary, self.events) = (summary, events)
    }

    /// Ten small frames a second, as from a camera.
    package static let source = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=10/1"

    /// Runs a capture of a source to its end.
    ///
    /// - Parameter onEvent: Called with each event.
    package static func of(
        _ fragment: String = source, rasterizer: (any Rasterizer)? = nil,
        _ change: (inout CaptureConfiguration) -> Void = { _ in },
        onEvent: @escaping @Sendable (CaptureEvent, CaptureController) async -> Void = { _, _ in }
    ) async -> CaptureRecord {
        var configuration = CaptureConfiguration(source: .fragment(fragment), output: .caller)
        configuration.settle = .off
        change(&configuration)
        let controller = CaptureController(configuration, rasterizer: rasterizer)
        return await of(controller) { await onEvent($0, controller) }
    }

    /// Runs a capture to its end. If the time limit of the test ends it, the test fails with the last events.
    ///
    /// - Parameter onEvent: Called with each event.
    package static func of(
        _ controller: CaptureController, onEvent: (CaptureEvent) async -> Void = { _ in }
    ) async -> CaptureRecord {
        async let summary = controller.run()
        var events: [CaptureEvent] = []
        for await event in controller.events {
            events.append(event)
            await onEvent(event)
        }
        reportCut(events.map { "\($0)" })
        return CaptureRecord(summary: await summary, events: events)
    }

    /// The pictures that were stored.
    package var stills: [Still] { events.compactMap { if case .captured(let still) = $0 { still } else { nil } } }

    /// The slots of the pictures that were stored, one for each picture.
    package var captured: [Slot] { stills.map(\.slot) }

    /// The slots that were reported as missed.
    package var missed: [Slot] {
        events.flatMap { if case .missed(let slots, _) = $0 { slots.each } else { [Slot]() } }
    }

    /// The slots that were reported as failed.
    package var failed: [Slot] { events.compactMap { if case .failed(let slot, _) = $0 { slot } else { nil } } }

    /// The slots for which a search for a frame began.
    package var begun: [Slot] { events.compactMap { if case .willCapture(let slot) = $0 { slot } else { nil } } }

    /// The message of the error that ended the capture; `nil` if it ended without an error.
    package var failure: String? { if case .failed(let error) = summary.ending { error.message } else { nil } }

    /// `true` if the summary agrees with the events and is the last of them.
    package var isConsistent: Bool {
        guard case .finished(let last)? = events.last else { return false }
        return last.ending == summary.ending && summary.captured == captured.count && summary.missed == missed.count
            && summary.failed == failed.count
    }
}

extension SlotRun {
    /// The slots of the run. Those between the first and the last are due at even intervals.
    package var each: [Slot] {
        guard count > 1 else { return [first] }
        let interval = (last.due - first.due) / (count - 1)
        return (0..<count).map { Slot(index: first.index + $0, due: first.due + interval * $0, cause: first.cause) }
    }
}
