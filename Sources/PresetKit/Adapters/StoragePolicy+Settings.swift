// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

extension StoragePolicy {
    /// Reads the policy from settings.
    ///
    /// - Throws: `CaptureError` `.usage` if there is an action for a limit and no limit.
    package init(_ settings: CaptureSettings) throws(CaptureError) {
        var limits = StorageLimits()
        limits.keepFree = settings.keepFree
        limits.maxSize = settings.maxSize
        limits.maxAge = settings.maxAge
        limits.maxCount = settings.maxCount
        limits.policy = settings.onLimit ?? limits.policy
        guard settings.onLimit == nil || !limits.isEmpty else {
            throw CaptureError(
                .usage, "needs a limit", subject: "--on-limit",
                advice: "give --keep-free, --max-size, --max-age or --max-count")
        }
        self.init(mount: settings.mount, limits: limits)
    }
}
