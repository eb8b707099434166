// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for limits on storage, and for a full disk.
struct StorageOptions: SettingOptions {
    @Option(help: .setting("keep-free"))
    var keepFree: String?

    @Option(help: .setting("max-size"))
    var maxSize: String?

    @Option(help: .setting("max-age"))
    var maxAge: String?

    @Option(help: .setting("max-count"))
    var maxCount: String?

    @Option(help: .setting("on-limit"), completion: .setting("on-limit"))
    var onLimit: String?

    @Option(help: .setting("hold"))
    var hold: String?

    @Option(help: .setting("mount"), completion: .directory)
    var mount: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("keep-free", keepFree), SettingAssignment("max-size", maxSize),
            SettingAssignment("max-age", maxAge), SettingAssignment("max-count", maxCount),
            SettingAssignment("on-limit", onLimit), SettingAssignment("hold", hold),
            SettingAssignment("mount", mount),
        ].compactMap { $0 }
    }
}
