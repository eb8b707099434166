// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit

extension OutboxConfiguration {
    /// Finds the file of an outbox.
    ///
    /// - Parameters:
    ///   - path: The path that the user gave; `nil` for the first of the standard paths that exists.
    ///   - option: The option for that path.
    /// - Throws: `CaptureError` `.noInput` if there is no file at the standard paths.
    package static func path(_ path: String?, option: String) throws(CaptureError) -> String {
        if let path { return path }
        let name = "/gst-capture-outbox.yaml"
        let paths = [ProgramFolders.configuration.map { $0 + name }, "/etc" + name].compactMap { $0 }
        guard let path = paths.first(where: DeviceFiles.exists) else {
            throw CaptureError(
                .noInput, "there is no file with targets", subject: paths[0],
                advice: "gst-capture outbox --help shows one; \(option) names another")
        }
        return path
    }

    /// Returns the folder of an outbox, which need not exist.
    ///
    /// - Parameters:
    ///   - state: The state folder that the user gave; `nil` for that of this process.
    ///   - option: The option for that folder.
    package static func folder(state: String?, option: String) throws(CaptureError) -> String {
        guard let state = state.map(LedgerPlace.absolute) ?? ProgramFolders.state else {
            throw CaptureError(
                .configuration, "is not set, so the outbox has no folder", subject: "HOME", advice: "give \(option)")
        }
        return state + "/outbox"
    }

    /// Returns the pictures of a series, or the clips of a camera, that all their targets have. Blocks.
    ///
    /// - Parameters:
    ///   - file: The path of this configuration, for errors.
    ///   - folder: The folder of the outbox.
    /// - Throws: `CaptureError` `.configuration` if no route covers the series, its pictures are not sent, or a target
    ///   gives no proof although the series needs it.
    package func sentPictures(
        _ request: SentPicturesRequest, file: String, store folder: String
    ) throws(CaptureError) -> SentLines {
        let base = LedgerPlace(request.ledger).baseFolder
        let kind: Route.Kind = request.isOfClips ? .clips : .series
        let lanes = lanes(of: request.ledger, kind)
        guard !lanes.isEmpty else {
            let (what, key) = request.isOfClips ? ("clips", "clips") : ("pictures", "from")
            throw CaptureError(
                .configuration, "\(RegularFile.display(file)) sends no \(what) of \(RegularFile.display(base))",
                subject: request.setting, advice: "write - \(key): \(base) below send:")
        }
        if !request.isOfClips { try checkPictures(request, base) }
        for lane in lanes where request.needsProof {
            guard let target = targets.first(where: { $0.id == lane.target }), !target.place.confirmation.isProof
            else { continue }
            throw CaptureError(
                .configuration, "confirms by \(target.place.confirmation.words) alone", subject: target.id,
                advice: "\(request.setting) needs a hash or reading back")
        }
        return SentLines(of: request.ledger, lanes, kind, store: folder)
    }

    /// Returns a ledger, or a list of clips, at the targets of all routes that cover it. A route may name the folder by
    /// another path.
    private func lanes(of ledger: String, _ kind: Route.Kind) -> [SentLines.Lane] {
        let path = LedgerPlace.absolute(ledger)
        let folder = DeviceFiles.folder(of: path)
        let name = DeviceFiles.name(of: path)
        var lanes: [SentLines.Lane] = []
        // A target with small copies has no picture.
        for route in routes where route.kind == kind && !route.isSmall {
            let paths = [route.folder, "\(route.folder)/\(LedgerPlace.folderName)/\(name)", "\(route.folder)/\(name)"]
            let known = paths.filter {
                $0 == path
                    || Self.canonical(DeviceFiles.folder(of: $0)) == Self.canonical(folder)
                        && DeviceFiles.name(of: $0) == name
            }
            for ledger in known {
                lanes += route.targets.map { SentLines.Lane(ledger: ledger, target: $0) }
            }
        }
        return lanes
    }

    private static func canonical(_ path: String) -> String { DeviceFiles.canonical(path) ?? path }

    private func checkPictures(_ request: SentPicturesRequest, _ base: String) throws(CaptureError) {
        let type = request.names.split(separator: "/").last.map { $0.split(separator: ".").last ?? "" } ?? ""
        guard LedgerUploads.extensions.contains(type.lowercased()) else {
            throw CaptureError(
                .configuration, "the outbox sends no pictures named \(request.names.withoutControls)",
                subject: request.setting, advice: "use JPEG or PNG, with names that end so")
        }
        let folder = LedgerPlace.absolute(request.folder)
        guard folder == base || folder.hasPrefix(LedgerPlace.folder(base)) else {
            throw CaptureError(
                .configuration, "the outbox sends no pictures outside of the folder of the ledger, \(base)",
                subject: request.setting, advice: "leave out the key ledger")
        }
    }
}

extension UploadTarget {
    /// The weakest confirmation with which the target counts a picture as sent. The transports of TransferKit agree.
    package var confirmation: Confirmation {
        switch service {
        case .s3: .hash
        case .webdav, .sftp, .rclone: .readBack
        // A server may name the hash in its answer, but need not.
        case .http: .answer
        }
    }
}

extension Confirmation {
    /// `true` if the target has shown that it has the same bytes.
    package var isProof: Bool { self >= .readBack }

    fileprivate var words: String {
        switch self {
        case .answer: "an answer"
        case .size: "the size"
        case .readBack: "reading back"
        case .hash: "a hash"
        }
    }
}
