// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

// The form of records in databases, exchange files, and on backends.
//
//   "fields": {"identifier": "4006381333931"},
//   "sides": {"front": {"blob": {"sha256": "…", "bytes": 81234, "width": 1012, "height": 638},
//                       "origin": {"blob": {…}, "outline": "card", "move_x": 0, "move_y": 0.1, "zoom": 1, "turn":
// -2.5}}}

extension RecordContent {
    /// The limits of a text that is read.
    package static let levels = 8, mostValues = 2000

    /// The members of the content as an object for programs, in the order of their names.
    package var members: [JSONValue.Member] {
        let fields = values.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: .string($0.value)) }
        let pictures = sides.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: $0.value.json) }
        return [
            JSONValue.Member(name: "fields", value: .object(fields)),
            JSONValue.Member(name: "sides", value: .object(pictures)),
        ]
    }

    /// The content as an object for programs.
    package var json: JSONValue { .object(members) }

    /// Reads the text of a content.
    ///
    /// - Parameter path: The name of the text in errors.
    /// - Throws: `CaptureError` `.inputOutput` if it is not a content.
    package init(_ text: String, path: String) throws(CaptureError) {
        try self.init(try JSONNode(text, path: path, levels: Self.levels, mostValues: Self.mostValues))
    }

    /// Reads a content from an object, which may have other members.
    package init(_ node: JSONNode) throws(CaptureError) {
        self.init()
        values = try node.optional("fields")?.values() ?? [:]
        for (name, side) in try node.optional("sides")?.members() ?? [] { sides[name] = try RecordPicture(side) }
        values = values.filter { !$0.value.isEmpty }
    }
}

extension RecordPicture {
    /// The picture as an object for programs.
    package var json: JSONValue {
        .object(["blob": file.json, "origin": origin?.json])
    }

    package init(_ node: JSONNode) throws(CaptureError) {
        let origin = try node.optional("origin")
        self.init(
            try RecordBlob(try node.object("blob")),
            origin: try origin.map { (node) throws(CaptureError) in try .init(node) })
    }
}

extension RecordPicture.Origin {
    fileprivate var json: JSONValue {
        .object([JSONValue.Member(name: "blob", value: file.json)] + placeMembers)
    }

    /// The outline and the place of the crop.
    var placeMembers: [JSONValue.Member] {
        [
            JSONValue.Member(name: "outline", value: .string(outline)),
            JSONValue.Member(name: "move_x", value: .number(adjustment.moveX)),
            JSONValue.Member(name: "move_y", value: .number(adjustment.moveY)),
            JSONValue.Member(name: "zoom", value: .number(adjustment.zoom)),
            JSONValue.Member(name: "turn", value: .number(adjustment.turn)),
        ]
    }

    fileprivate init(_ node: JSONNode) throws(CaptureError) {
        try self.init(try RecordBlob(try node.object("blob")), node)
    }

    /// Reads the outline and the place of the crop.
    ///
    /// - Parameter file: The whole picture.
    init(_ file: RecordBlob, _ node: JSONNode) throws(CaptureError) {
        self.init(file, outline: try node.text("outline"), adjustment: try CropAdjustment(node))
    }
}

extension CropAdjustment {
    /// Reads the place of a crop; missing members change nothing.
    ///
    /// - Throws: `CaptureError` if a member is wrong, or outside of its limits.
    package init(_ node: JSONNode) throws(CaptureError) {
        self.init()
        moveX = try node.optionalNumber("move_x") ?? 0
        moveY = try node.optionalNumber("move_y") ?? 0
        zoom = try node.optionalNumber("zoom") ?? 1
        turn = try node.optionalNumber("turn") ?? 0
        do throws(CaptureError) { try check() } catch { throw node.wrong(error.summary) }
    }
}

extension RecordBlob {
    /// The blob as an object for programs.
    package var json: JSONValue {
        .object([
            "sha256": .string(sha256), "bytes": .integer(byteCount), "width": .integer(width),
            "height": .integer(height),
        ])
    }

    package init(_ node: JSONNode) throws(CaptureError) {
        let blob = RecordBlob(
            sha256: try node.text("sha256"), byteCount: try node.integer("bytes", 1...(1 << 30)),
            width: try node.integer("width", 1...(1 << 16)), height: try node.integer("height", 1...(1 << 16)))
        guard let blob else { throw node.wrong("has a sha256 that is not one") }
        self = blob
    }
}
