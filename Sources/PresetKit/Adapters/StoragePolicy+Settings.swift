// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

extension StoragePolicy {
    /// Reads the policy from settings.
    ///
    /// - Throws: `CaptureError` `.usage` if there is an action for a limit and no limit, or if the settings for an outbox
    ///   do not fit together.
    package init(_ settings: CaptureSettings) throws(CaptureError) {
        var limits = StorageLimits()
        limits.keepFree = settings.keepFree
        limits.maxSize = settings.maxSize
        limits.maxAge = settings.maxAge
        limits.maxCount = settings.maxCount
        limits.maxAgeSent = settings.maxAgeSent
        limits.keepsUnsent = settings.keepUnsent ?? false
        limits.policy = settings.onLimit ?? limits.policy
        guard settings.onLimit == nil || !limits.isEmpty else {
            throw CaptureError(
                .usage, "needs a limit", subject: "--on-limit",
                advice: "give --keep-free, --max-size, --max-age or --max-count")
        }
        try settings.checkOutbox(limits)
        self.init(mount: settings.mount, limits: limits)
    }
}

extension CaptureSettings {
    /// The first setting that needs an outbox; `nil` if none does.
    private var outboxSetting: String? {
        if maxAgeSent != nil { return "max-age-sent" }
        if keepUnsent ?? false { return "keep-unsent" }
        if outbox != nil { return "outbox" }
        return outboxState.map { _ in "outbox-state" }
    }

    /// Checks that the settings for an outbox have an effect.
    fileprivate func checkOutbox(_ limits: StorageLimits) throws(CaptureError) {
        guard let setting = outboxSetting else { return }
        if case .thin = limits.policy {
            throw CaptureError(
                .usage, "cannot be combined with --on-limit thin", subject: "--\(setting)",
                advice: "remove pictures with --on-limit prune, or leave it out")
        }
        guard limits.policy == .prune || setting == "max-age-sent" && !limits.keepsUnsent else {
            throw CaptureError(
                .usage, "has no effect without --on-limit prune",
                subject: limits.keepsUnsent ? "--keep-unsent" : "--\(setting)",
                advice: limits.keepsUnsent || setting == "max-age-sent" ? nil : "or give --max-age-sent")
        }
    }

    /// Returns the request for the pictures of a series that an outbox has sent; `nil` if the settings need no outbox.
    ///
    /// - Parameters:
    ///   - names: The names of the pictures; `nil` if they go to no files.
    ///   - ledger: The path of the ledger; `nil` if the series keeps none.
    ///   - isGiven: `true` if there is an outbox in any case, so that pruning takes it into account.
    /// - Throws: `CaptureError` `.usage` if the series keeps no ledger, or has no files.
    package func sentPicturesRequest(
        _ names: FileNameTemplate?, ledger: String?, isGiven: Bool = false
    ) throws(CaptureError) -> SentPicturesRequest? {
        let isPruned = isGiven && onLimit == .prune
        guard let setting = outboxSetting ?? (isPruned ? SentPicturesRequest.pruning : nil) else { return nil }
        guard let names, let ledger else {
            throw CaptureError(
                .usage, "needs the ledger of a series", subject: "--\(setting)",
                advice: "capture to files, and leave out --ledger off")
        }
        return SentPicturesRequest(
            ledger: ledger, names: names.description, folder: names.baseFolder, needsProof: maxAgeSent != nil,
            setting: setting)
    }
}
