// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The state of a picture at a target.
package struct UploadState: Sendable, Hashable {
    package enum Word: String, Sendable, Hashable, CaseIterable {
        /// The target does not have the picture yet.
        case waiting
        /// The target has confirmed the picture.
        case sent
        /// The picture is not sent until a person wants it to be sent.
        case dead
        /// The picture was too old, or removed, or a person has given it up, or the target has erased it.
        case skipped
    }

    /// The ID of the target.
    package let target: String
    package let word: Word
    /// The reason of the last failure; `nil` if there was none.
    package let reason: String?

    package init(target: String, _ word: Word, reason: String? = nil) {
        (self.target, self.word, self.reason) = (target, word, reason)
    }

    package var json: JSONValue {
        .object([
            "target": .string(target), "state": .string(word.rawValue), "reason": reason.map(JSONValue.string),
        ])
    }
}

/// A line of a ledger that has a picture.
package struct UploadLine: Sendable, Hashable {
    /// The path of the ledger.
    package let ledger: String
    /// Distinguishes the ledger from others at the same path.
    package let identity: String
    /// The number of the line.
    package let number: Int
    /// The name of the picture's file.
    package let fileName: String

    package init(_ number: Int, of ledger: String, identity: String, fileName: String) {
        (self.ledger, self.identity, self.number, self.fileName) = (ledger, identity, number, fileName)
    }

    /// `true` if files of this kind are sent.
    fileprivate var isSendable: Bool {
        guard let dot = fileName.lastIndex(of: ".") else { return false }
        return LedgerUploads.extensions.contains(fileName[dot...].dropFirst().lowercased())
    }
}

extension OutboxStore {
    /// Returns the state of a picture at each target to which it goes, in the order of the configuration. There is none
    /// for a picture that no route sends. Blocks.
    ///
    /// - Throws: `CaptureError` if the store cannot be read.
    package func states(
        of line: UploadLine, _ configuration: OutboxConfiguration
    ) throws(CaptureError) -> [UploadState] {
        guard line.isSendable else { return [] }
        return try configuration.ledgers(at: line.ledger).map { target, ledger throws(CaptureError) in
            guard let source = try knownSource(ledger, identity: line.identity) else {
                return UploadState(target: target, .waiting)
            }
            return try state(ofLine: line.number, Lane(target: target, source: source))
        }
    }

    /// Returns the state of a picture of a session at each target to which it goes, in the order of the configuration.
    /// There is none for a picture that no route sends, and before the session is accepted. Blocks.
    ///
    /// - Parameters:
    ///   - name: The name of the picture's file.
    ///   - run: The folder of the session.
    /// - Throws: `CaptureError` if the store cannot be read.
    package func states(
        ofPicture name: String, in run: String, _ configuration: OutboxConfiguration
    ) throws(CaptureError) -> [UploadState] {
        let folder = DeviceFiles.folder(of: run)
        let routes = configuration.routes.filter { $0.kind == .sessions && $0.folder == folder }
        guard !routes.isEmpty, let source = try knownSource(folder, identity: SessionUploads.identity),
            let line = try SessionUploads(folder, self).line(ofPicture: name, in: DeviceFiles.name(of: run))
        else { return [] }
        let targets = configuration.targets.map(\.id).filter { id in routes.contains { $0.targets.contains(id) } }
        return try targets.map { target throws(CaptureError) in
            try state(ofLine: line, Lane(target: target, source: source))
        }
    }

    /// Returns the state of a line with a picture at a target.
    func state(ofLine line: Int, _ lane: Lane) throws(CaptureError) -> UploadState {
        // In this order, because the sender writes meanwhile: a line that was taken gets no job later.
        guard try taken(lane).contains(line) else { return UploadState(target: lane.target, .waiting) }
        if let job = try job(ofLine: line, lane) {
            return UploadState(target: lane.target, job.state == .dead ? .dead : .waiting, reason: job.reason)
        }
        return UploadState(target: lane.target, try isSkipped(line: line, lane) ? .skipped : .sent)
    }
}

extension OutboxConfiguration {
    /// Returns the targets to which a ledger goes, each with the path by which the sender knows the ledger. Another
    /// program can know it by a link.
    fileprivate func ledgers(at path: String) -> [(target: String, ledger: String)] {
        let place = DeviceFiles.canonical(path) ?? path
        let found = routes.compactMap { route -> (targets: [String], ledger: String)? in
            guard route.kind == .series else { return nil }
            let ledgers = route.kind.accounts(at: route.folder)
            let ledger = ledgers.first { $0 == path } ?? ledgers.first { DeviceFiles.canonical($0) == place }
            return ledger.map { (route.targets, $0) }
        }
        return targets.compactMap { target in
            found.first { $0.targets.contains(target.id) }.map { (target.id, $0.ledger) }
        }
    }
}
