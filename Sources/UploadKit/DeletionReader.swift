// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// Takes the pictures that a person has deleted into the store: from ledgers and lists of clips, and from the accounts of
/// trashes. Cursors in the store keep how far each was read.
struct DeletionReader {
    /// Returns the targets that erase pictures of a ledger, or of a list of clips.
    typealias Targets = (_ path: String) -> [DeletionTarget]
    /// Erases the picture of a job, or ends its transfer.
    typealias End = (UploadJob) throws(CaptureError) -> Void

    private let store: OutboxStore

    /// The number of deletions that are taken at a time.
    private static let mostDeletions = 256

    init(_ store: OutboxStore) { self.store = store }

    /// Takes the deletions in a ledger, or in a list of clips, that are new.
    func take(from account: any UploadAccount, _ path: String, at targets: Targets, end: End) throws(CaptureError) {
        let source = try store.source(path, identity: account.identity)
        var position = try store.position(of: source)
        while true {
            let found = try account.deletions(after: position, most: Self.mostDeletions)
            guard found.last > position else { return }
            // The removals of limits are passed over again at each change: storing the position would be a change, too.
            guard !found.pictures.isEmpty || found.last - position > Self.mostDeletions else { return }
            for job in try store.takeDeletions(found.pictures, of: source, at: targets(path), upTo: found.last) {
                try end(job)
            }
            position = found.last
        }
    }

    /// Takes the pictures and clips that have left the trash of a folder for good.
    ///
    /// - Parameter accounts: Opens the ledgers and the lists of clips. It is called only if there are such pictures.
    func takeErased(
        in folder: String, of accounts: () throws(CaptureError) -> [String: any UploadAccount], at targets: Targets,
        end: End
    ) throws(CaptureError) {
        let erased = ErasedPictures(folder)
        guard let identity = erased.identity else { return }
        let source = try store.source(erased.path, identity: identity)
        while let page = try erased.page(from: try store.position(of: source)) {
            let open = try accounts()
            for entry in page.entries {
                for file in entry.files { try takeErased(file, entry.sha256, of: open, at: targets, end: end) }
            }
            try store.setPosition(page.end, of: source)
        }
    }

    /// Takes the deletion of a file, unless it is back.
    private func takeErased(
        _ file: String, _ sha256: String?, of accounts: [String: any UploadAccount], at targets: Targets, end: End
    ) throws(CaptureError) {
        for (path, account) in accounts {
            let pictures = try account.pictures(ofFile: file, sha256)
            guard !pictures.isEmpty else { continue }
            let source = try store.source(path, identity: account.identity)
            for job in try store.takeDeletions(pictures, of: source, at: targets(path)) { try end(job) }
        }
    }
}
