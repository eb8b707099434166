// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// A target that may have a picture which a person has deleted.
struct DeletionTarget: Sendable, Hashable {
    let id: String
    let address: String
    let canErase: Bool
    /// The naming that the target has now, for pictures that an earlier version has sent; `nil` if no folder of the
    /// configuration has them.
    let naming: UploadNaming?

    /// The reason why a picture with a naming stays there.
    fileprivate func reason(toKeep known: UploadNaming?) -> String {
        guard canErase else { return UploadJob.cannotErase }
        return known == nil ? UploadJob.namelessness : "it was sent to another address"
    }
}

// The pictures that a person has deleted here.
extension OutboxStore {
    /// How far the deletions of a source were read; 0 if none were.
    func position(of source: Int64) throws(CaptureError) -> Int {
        try perform { database throws(DatabaseError) in
            Int(try database.number("SELECT position FROM cursor WHERE source = \(source)") ?? 0)
        }
    }

    /// Stores how far the deletions of a source were read.
    func setPosition(_ position: Int, of source: Int64) throws(CaptureError) {
        try perform { database throws(DatabaseError) in try database.setPosition(position, of: source) }
    }

    /// Takes deletions: each target that may have such a picture gets a job that erases it, and one that is getting it now
    /// erases it afterwards.
    ///
    /// - Parameters:
    ///   - pictures: The deleted pictures of the source.
    ///   - position: How far the deletions of the source are read then; `nil` if they do not come from the source.
    /// - Returns: The jobs that erase pictures, and those that must not send any more.
    func takeDeletions(
        _ pictures: [UploadPicture], of source: Int64, at targets: [DeletionTarget], upTo position: Int? = nil
    ) throws(CaptureError) -> [UploadJob] {
        try commit { database throws(DatabaseError) in
            for target in targets {
                let lane = Lane(target: target.id, source: source)
                for picture in pictures { try database.delete(picture, lane, target) }
            }
            if let position { try database.setPosition(position, of: source) }
        }
        var found: [UploadJob] = []
        for target in targets {
            for picture in pictures {
                found += try jobs(
                    where: "target = ? AND source = ? AND line = ? AND (kind = 'send' OR state <> 'dead')",
                    [.text(target.id), .integer(source), .init(picture.line)], most: 1)
            }
        }
        return found
    }

    /// Ends a job whose picture was deleted while the target got it.
    ///
    /// - Returns: The job that erases the picture; `nil` if the target cannot erase.
    func finishDeleted(_ job: UploadJob, at now: WallTime, canErase: Bool) throws(CaptureError) -> UploadJob? {
        try finish(job, at: now) { database throws(DatabaseError) in
            if canErase {
                try database.insertErasure(of: job.picture, job.lane, name: job.name, isSure: true)
            } else {
                try database.keep(job.name, line: job.picture.line, job.lane, UploadJob.cannotErase)
            }
        }
        return try erasure(ofLine: job.picture.line, job.lane)
    }

    /// Ends a job whose picture was deleted before the target had it. A transfer that was interrupted may have succeeded.
    ///
    /// - Returns: The job that erases the picture if the target has it; `nil` if nothing can be done.
    func skipDeleted(_ job: UploadJob, canErase: Bool) throws(CaptureError) -> UploadJob? {
        try skip(job) { database throws(DatabaseError) in
            // A clip whose hash was not computed was never sent.
            guard canErase, job.picture.isHashed else { return }
            let naming = try database.naming(ofLine: job.picture.line, job.lane)
            try database.eraseDoubtful(job.picture, job.lane, job.name, naming)
        }
        return try erasure(ofLine: job.picture.line, job.lane)
    }

    /// Returns the jobs of a target that must not send their pictures any more.
    func deletedJobs(of target: String) throws(CaptureError) -> [UploadJob] {
        try jobs(where: "target = ? AND kind = 'send' AND deleted = 1", [.text(target)], most: .max)
    }

    /// Ends a job that should have erased a picture which the target does not have under that name. The picture of an
    /// earlier version may be there under another name.
    func forgetMissing(_ job: UploadJob) throws(CaptureError) {
        let isSkipped = try isSkipped(line: job.picture.line, job.lane)
        try forget(job) { database throws(DatabaseError) in
            let line = job.picture.line
            guard !isSkipped, try database.naming(ofLine: line, job.lane) == nil else { return }
            try database.keep(nil, line: job.picture.line, job.lane, UploadJob.namelessness)
        }
    }

    /// Ends a job that erases a picture which the target cannot erase.
    func keep(_ job: UploadJob, _ reason: String) throws(CaptureError) {
        try forget(job) { database throws(DatabaseError) in
            try database.keep(job.name, line: job.picture.line, job.lane, reason)
        }
    }

    /// Returns the deleted pictures that a target keeps, from old to new.
    package func kept(at target: String, most: Int) throws(CaptureError) -> [KeptPicture] {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT path, line, name, reason FROM kept JOIN source ON number = source
                WHERE target = ? ORDER BY source, line LIMIT ?
                """, [.text(target), .init(most)])
            var kept: [KeptPicture] = []
            while try rows.next() {
                kept.append(
                    KeptPicture(
                        target: target, ledger: try rows.requiredText(0), number: Int(try rows.requiredInteger(1)),
                        name: try rows.text(2), reason: try rows.requiredText(3)))
            }
            return kept
        }
    }

    private func erasure(ofLine line: Int, _ lane: Lane) throws(CaptureError) -> UploadJob? {
        try jobs(.erase, of: line...line, lane).first { $0.state != .dead }
    }
}

/// A deleted picture that stays at a target.
package struct KeptPicture: Sendable, Hashable {
    package let target: String
    /// The path of the ledger, and the number of the picture's line.
    package let ledger: String, number: Int
    /// The name at the target; `nil` if it is not known.
    package let name: String?
    package let reason: String
}

extension UploadJob {
    fileprivate static let cannotErase = "the target cannot erase pictures"
    fileprivate static let namelessness = "its name there is not known"
}

extension Database {
    fileprivate func setPosition(_ position: Int, of source: Int64) throws(DatabaseError) {
        try insert(
            "INSERT INTO cursor VALUES (?1, ?2) ON CONFLICT(source) DO UPDATE SET position = ?2",
            [.integer(source), .init(position)])
    }

    /// Takes the deletion of a picture at a target.
    fileprivate func delete(
        _ picture: UploadPicture, _ lane: OutboxStore.Lane, _ target: DeletionTarget
    ) throws(DatabaseError) {
        let key: [DatabaseValue] = [.text(lane.target), .integer(lane.source), .init(picture.line)]
        let isLine = "target = ? AND source = ? AND line = ?"
        func exists(_ query: String) throws(DatabaseError) -> Bool { try prepare(query, key).next() }
        if try exists("SELECT 1 FROM job WHERE \(isLine)") {
            try insert("UPDATE job SET deleted = 1 WHERE \(isLine) AND kind = 'send'", key)
            return
        }
        guard try hasLine(picture.line, lane, "taken"), try !exists("SELECT 1 FROM kept WHERE \(isLine)") else {
            return
        }
        let sent = try prepare("SELECT name FROM sent WHERE \(isLine)", key)
        let ownName = try sent.next() ? try sent.requiredText(0) : nil
        // The names of clips that were sent are all kept.
        guard ownName != nil || picture.isHashed else { return }
        let isSkipped = try hasLine(picture.line, lane, "skipped")
        let known = try naming(ofLine: picture.line, lane)
        // An earlier version has not recorded how its pictures got their names.
        if ownName == nil, known == nil, isSkipped { return }
        guard let naming = known ?? target.naming, naming.address == target.address, target.canErase else {
            if isSkipped { return }
            let name = ownName ?? known.map { $0.name(of: $0.completed(picture)) }
            return try keep(name, line: picture.line, lane, target.reason(toKeep: known))
        }
        let name = ownName ?? naming.name(of: naming.completed(picture))
        if isSkipped || ownName == nil && known == nil {
            try eraseDoubtful(picture, lane, name, naming)
        } else {
            try insertErasure(of: picture, lane, name: name, isSure: true)
        }
    }

    /// `true` if a lane has a line in the spans of a kind.
    private func hasLine(_ line: Int, _ lane: OutboxStore.Lane, _ kind: String) throws(DatabaseError) -> Bool {
        try prepare(
            "SELECT 1 FROM span WHERE target = ? AND source = ? AND kind = ? AND ? BETWEEN first AND last",
            [.text(lane.target), .integer(lane.source), .text(kind), .init(line)]
        ).next()
    }

    /// Makes a job that erases a picture if the target has it.
    fileprivate func eraseDoubtful(
        _ picture: UploadPicture, _ lane: OutboxStore.Lane, _ name: String, _ naming: UploadNaming?
    ) throws(DatabaseError) {
        guard naming?.isSmall ?? false else {
            return try insertErasure(of: picture, lane, name: name, isSure: false)
        }
        // The hash of a small copy is not known. A name with the hash of its picture belongs to no other one.
        if naming?.template.isUnique ?? false { try insertErasure(of: picture, lane, name: name, isSure: true) }
    }

    /// - Parameter isSure: `false` to read the file at the target first, which may be another one.
    fileprivate func insertErasure(
        of picture: UploadPicture, _ lane: OutboxStore.Lane, name: String, isSure: Bool
    ) throws(DatabaseError) {
        try insert(
            """
            INSERT INTO job(target, source, line, path, bytes, sha256, taken, board, series, camera, name, state, kind)
            VALUES (?, ?, ?, '', ?, ?, ?, '', '', '', ?, 'waiting', 'erase') ON CONFLICT DO NOTHING
            """,
            [
                .text(lane.target), .integer(lane.source), .init(picture.line),
                .init(isSure ? 0 : picture.byteCount), .text(isSure ? "" : picture.sha256),
                .text(picture.taken.iso8601), .text(name),
            ])
    }

    fileprivate func keep(
        _ name: String?, line: Int, _ lane: OutboxStore.Lane, _ reason: String
    ) throws(DatabaseError) {
        try insert(
            "INSERT INTO kept VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [.text(lane.target), .integer(lane.source), .init(line), .init(name), .text(reason)])
    }
}
