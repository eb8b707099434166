// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for pictures that an outbox sends.
struct SentOptions: SettingOptions {
    @Option(help: .setting("max-age-sent"))
    var maxAgeSent: String?

    @Flag(inversion: .prefixedNo, help: .setting("keep-unsent"))
    var keepUnsent: Bool?

    @Option(help: .setting("outbox"), completion: .file(extensions: ["yaml", "yml"]))
    var outbox: String?

    @Option(help: .setting("outbox-state"), completion: .directory)
    var outboxState: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("max-age-sent", maxAgeSent), SettingAssignment("keep-unsent", keepUnsent),
            SettingAssignment("outbox", outbox), SettingAssignment("outbox-state", outboxState),
        ].compactMap { $0 }
    }
}
