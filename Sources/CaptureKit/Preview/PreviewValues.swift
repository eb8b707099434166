// Part of gst-capture. Apache License 2.0, see LICENSE.

import ScheduleKit

/// The values of placeholders in the preview's texts, computed from events. Pure.
struct PreviewValues: Sendable {
    /// The values by name, without braces.
    private(set) var texts: [String: String]
    /// The slot of the current countdown.
    private var counted: Slot?

    /// Creates the values before the first event.
    init(camera: String) { texts = ["camera": camera, "countdown": "", "count": "0", "name": ""] }

    /// Applies an event; returns `true` if a value changed.
    mutating func apply(_ event: CaptureEvent) -> Bool {
        let before = texts
        switch event {
        case .countdown(let slot, let remaining): count(down: slot, remaining)
        case .willCapture(let slot), .calledOff(let slot): stopCounting { $0 == slot }
        case .missed(let slots, _): stopCounting(slots.contains)
        case .captured(let still): record(still)
        default: break
        }
        return texts != before
    }

    private mutating func count(down slot: Slot, _ remaining: Duration) {
        counted = slot
        texts["countdown"] = "\(remaining.components.seconds)"
    }

    private mutating func stopCounting(_ isOver: (Slot) -> Bool) {
        guard counted.map(isOver) ?? false else { return }
        (counted, texts["countdown"]) = (nil, "")
    }

    private mutating func record(_ still: Still) {
        texts["count"] = "\((Int(texts["count"] ?? "") ?? 0) + 1)"
        texts["name"] = still.path.flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
    }
}
