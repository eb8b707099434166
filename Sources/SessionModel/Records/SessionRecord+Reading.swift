// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import FrameMeasures
import OverlayCompositor

/// Parses the record. An untrusted user may have changed it: the parser refuses values that would lead out of the
/// folder, or exceed a limit.
extension SessionRecord {
    /// Reads the file of a record. It blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no file, `.permission` if the file may not be read, or
    ///   `.inputOutput` with the place of the mistake.
    public init(path: String) throws(CaptureError) {
        try self.init(bytes: try RegularFile.read(path, most: Self.mostBytes + 1), path: path)
    }

    /// The most pictures of a record: those of a session, the new ones of a stage that is retaken, and those set aside.
    static let mostPictures =
        SessionDescription.mostPictures + SessionStage.mostPictures + SessionProgress.mostSetAside
    /// The size of the largest file, in bytes. A picture takes 1.5 KiB; one with a path of 4095 bytes, the longest of
    /// Linux, fits into 8 KiB.
    package static let mostBytes = mostPictures << 13

    /// Parses a record.
    ///
    /// - Parameter path: The file that errors name.
    package init(bytes: [UInt8], path: String) throws(CaptureError) {
        guard bytes.count <= Self.mostBytes else {
            throw JSONNode.damaged(path, nil, "is too large for the record of a session")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONNode.damaged(path, nil, "is not text")
        }
        let root = try JSONNode(text, path: path)
        guard try root.text("format") == Self.format else { throw root.wrong("is not the record of a session") }
        let version = try root.integer("version", 1...1_000_000)
        guard version <= Self.version else {
            throw root.wrong("has version \(version), but this gst-capture reads version \(Self.version)")
        }
        var stills: [Int: SessionStill] = [:]
        let progress = try Self.progress(root, &stills)
        self.init(
            title: try root.text("title"), begun: try root.moment("begun"), progress: progress, stills: stills)
        definition = try root.optionalText("definition")
        consented = root.has("consented") ? try root.moment("consented") : nil
        retention = try root.optionalNumber("retention_ms").map { .milliseconds($0) }
        for node in root.has("results") ? try root.list("results") : [] {
            let file = try SessionFileRecord(node)
            // A record must not name other files: the service would remove them.
            guard SessionResult.allCases.contains(where: { $0.fileName == file.name }) else {
                throw node.wrong("\(file.name.quoted) is not a result")
            }
            results.append(file)
        }
        ended = root.has("ended") ? try root.moment("ended") : nil
    }

    private static func progress(
        _ root: JSONNode, _ stills: inout [Int: SessionStill]
    ) throws(CaptureError) -> SessionProgress {
        var stages: [StageProgress] = []
        for node in try root.list("stages") { stages.append(try stage(node, &stills)) }
        var progress = SessionProgress(session: try root.text("session"), stages: stages)
        progress.nextPicture = try root.integer("next_picture", 1...1_000_000_000)
        progress.setAside = try pictures(root, "set_aside", &stills)
        progress.hasConsent = root.has("consented")
        if root.has("fields") { progress.form = try root.object("fields").values() }
        if root.has("reviewed") { progress.wasReviewed = try root.flag("reviewed") }
        let state = try root.text("state")
        progress.ending = SessionProgress.Ending(rawValue: state)
        guard progress.ending != nil || state == openState else { throw root.wrong("\(state.quoted) is not a state") }
        return progress
    }

    private static func stage(
        _ node: JSONNode, _ stills: inout [Int: SessionStill]
    ) throws(CaptureError) -> StageProgress {
        var stage = StageProgress(name: try node.text("name"))
        stage.state = try node.word("state")
        stage.pictures = try pictures(node, "pictures", &stills)
        guard stage.state != .done || !stage.pictures.isEmpty else {
            throw node.wrong("is done, but has no pictures")
        }
        if node.has("former") { stage.former = try pictures(node, "former", &stills) }
        if node.has("retaken") {
            let number = try node.integer("retaken", 1...1_000_000_000)
            guard stage.state == .open, stage.former?.contains(where: { $0.number == number }) == true else {
                throw node.wrong("retakes picture \(number), which it does not have")
            }
            stage.retaken = number
        }
        return stage
    }

    private static func pictures(
        _ node: JSONNode, _ key: String, _ stills: inout [Int: SessionStill]
    ) throws(CaptureError) -> [SessionPicture] {
        var pictures: [SessionPicture] = []
        for entry in try node.list(key) {
            let still = try SessionStill(entry)
            guard stills.updateValue(still, forKey: still.number) == nil else {
                throw entry.wrong("picture \(still.number) appears twice")
            }
            pictures.append(SessionPicture(number: still.number, camera: still.role))
        }
        return pictures
    }
}

extension JSONNode {
    /// The nesting depth of the deepest value, a number of a crop's corner: record, stages, stage, pictures, picture,
    /// crop, corners, corner, number. The box of a picture on the preview is as deep.
    private static let levels = 9
    /// Enough for the pictures of the largest record, each with at most 127 values, and for its stages.
    private static let mostValues = SessionRecord.mostPictures * 128 + 4096

    /// Parses a text with the limits of a record, which requests of programs have, too.
    init(_ text: String, path: String) throws(CaptureError) {
        try self.init(text, path: path, levels: Self.levels, mostValues: Self.mostValues)
    }
}

extension SessionStill {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        self.init(
            number: try node.integer("number", 1...1_000_000_000), stage: try node.text("stage"),
            file: try SessionFileRecord(node))
        origin = try node.word("origin")
        source = try node.optionalText("source")
        role = node.has("role") ? try node.word("role") : nil
        camera = try node.optionalText("camera")
        taken = try node.optionalText("taken")
        offset = try node.optionalNumber("offset_ms").map { .nanoseconds(Int64($0 * 1e6)) }
        latency = try node.optionalNumber("latency_ms").map { .nanoseconds(Int64($0 * 1e6)) }
        bestOf = try node.integer("best_of", 1...1000)
        sharpness = try node.optionalNumber("sharpness")
        exposureTime = try node.optionalNumber("exposure_us").map { $0 / 1e6 }
        sensitivity = try node.optionalNumber("iso")
        for gate in try node.list("gates") { gates.append(try GateScore(gate)) }
        outline = try node.optional("outline").map { node throws(CaptureError) in try SessionOutline(node) }
        crop = try node.optional("crop").map { node throws(CaptureError) in try SessionCrop(node) }
        for view in node.has("views") ? try node.list("views") : [] { views.append(try SessionStill.View(view)) }
        duration = try node.optionalNumber("duration_ms").map { .nanoseconds(Int64($0 * 1e6)) }
        poster = try node.optional("poster").map { node throws(CaptureError) in try SessionFileRecord(node) }
        guard duration.map({ $0 > .zero && crop == nil && views.isEmpty }) ?? (poster == nil) else {
            throw node.wrong("picture \(number) has members that exclude each other")
        }
        for (file, kind) in parts {
            let name = SessionFileName(file.name, of: [stage], roles: Set(views.map(\.role)))
            // A record must not name other files of the folder: the session would remove them.
            guard let name, name.number == number, name.kind == kind else {
                throw node.wrong("\(file.name.quoted) is not a file of picture \(number)")
            }
        }
    }

    /// The files, with the kinds that their names must have.
    private var parts: [(SessionFileRecord, SessionFileName.Kind)] {
        [(file, isClip ? .clip : .whole)] + (poster.map { [($0, .whole)] } ?? [])
            + (crop.map { [($0.file, .crop)] } ?? []) + views.map { ($0.file, .view($0.role)) }
    }
}

extension SessionFileRecord {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        self.init(
            name: try node.text("file"), byteCount: try node.integer("bytes", 0...(1 << 40)),
            sha256: try node.text("sha256"), width: try node.integer("width", 1...1_000_000),
            height: try node.integer("height", 1...1_000_000))
        guard sha256.count == 64, sha256.utf8.count == 64, sha256.allSatisfy(\.isHexDigit) else {
            throw node.wrong("\(sha256.quoted) is not a SHA-256 hash")
        }
    }
}

extension SessionStill.View {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        self.init(
            role: try node.word("role"), camera: try node.text("camera"), file: try SessionFileRecord(node),
            taken: try node.text("taken"),
            offset: .nanoseconds(Int64((try node.optionalNumber("offset_ms") ?? 0) * 1e6)))
    }
}

extension SessionCrop {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        var corners: [PixelPoint] = []
        for corner in try node.list("corners") {
            let numbers = try corner.numbers()
            guard numbers.count == 2 else { throw corner.wrong("is not a corner") }
            corners.append(PixelPoint(numbers[0], numbers[1]))
        }
        guard corners.count == 4 else { throw node.wrong("does not have four corners") }
        self.init(
            file: try SessionFileRecord(node), corners: Quadrilateral(corners),
            confidence: try node.optionalNumber("confidence"))
    }
}

extension SessionOutline {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        let preview = try node.object("preview")
        let (position, box) = (try node.numbers("position", 2), try preview.numbers("picture", 4))
        let size = try node.optionalNumber("size") ?? 1
        guard (0...1).contains(position[0]), (0...1).contains(position[1]), size > 0, size <= 1 else {
            throw node.wrong("is not a place on a preview")
        }
        let (width, height) = (try preview.integer("width", 1...16_384), try preview.integer("height", 1...16_384))
        guard box[0] >= 0, box[1] >= 0, box[2] >= 1, box[3] >= 1, box[0] + box[2] <= Double(width),
            box[1] + box[3] <= Double(height)
        else { throw preview.wrong("has its picture outside of the preview") }
        self.init(
            name: try node.text("name"), position: UnitPoint(position[0], position[1]), size: size,
            previewWidth: width, previewHeight: height,
            picture: PixelBox(x: box[0], y: box[1], width: box[2], height: box[3]))
        isMirrored = try preview.flag("mirrored")
    }
}

extension GateScore {
    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        self.init(
            kind: try node.word("gate"), score: try node.optionalNumber("score"),
            threshold: try node.optionalNumber("threshold") ?? 0, holds: try node.flag("holds"),
            isOff: node.has("off") ? try node.flag("off") : false)
    }
}
