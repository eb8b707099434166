// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import ClipList
import DatabaseKit

/// The list of a folder of clips that has no files.
struct TestList {
    /// The folder to which paths in the list are relative.
    var base: String { folder.path }
    /// The path of the list.
    var list: String { base + "/door.clips" }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    func path(_ number: Int) -> String { "\(base)/\(number).mp4" }

    /// Opens the list as a process does that is killed afterward.
    func account(_ access: Database.Access = .create) throws -> ClipAccount {
        try ClipAccount(list, base: base, access)
    }
}
