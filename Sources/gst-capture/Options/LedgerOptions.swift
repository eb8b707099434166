// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the ledger of a series.
struct LedgerOptions: SettingOptions {
    @Flag(inversion: .prefixedNo, help: .setting("resume"))
    var resume: Bool?

    @Option(help: .setting("ledger"), completion: .file())
    var ledger: String?

    var assignments: [SettingAssignment] {
        [SettingAssignment("resume", resume), SettingAssignment("ledger", ledger)].compactMap { $0 }
    }
}
