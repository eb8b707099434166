// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CaptureSettings {
    /// Settings without effect in a session: its file defines when pictures are captured and what they are called.
    private static let keysWithoutEffect: Set<String> = [
        "output", "live", "overwrite", "latest", "delay", "countdown", "at", "burst", "interval", "count", "for",
        "until",
        "start", "align", "hours", "days", "latitude", "longitude", "late-slots", "max-size", "max-age", "max-count",
        "on-limit", "max-age-sent", "keep-unsent", "outbox", "outbox-state", "hold", "resume", "ledger", "ramp",
        "ramp-rate", "ramp-target", "standby",
    ]

    /// Checks that each setting has an effect in a session, so that no key of a preset is dropped silently.
    ///
    /// - Throws: `CaptureError` `.usage` that names all settings without effect.
    public func checkForSession() throws(CaptureError) {
        let keys = Setting.all.filter { Self.keysWithoutEffect.contains($0.key) && $0.isGiven(self) }.map(\.key)
        guard !keys.isEmpty else { return }
        throw CaptureError(
            .usage, "\(keys.joined(separator: ", ")) cannot be used in a session", subject: "settings",
            advice: "remove that from the preset and from GST_CAPTURE_ variables; the session's file defines it")
    }
}
