// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FilmKit
import LedgerKit
import PipelineKit

/// A film that a client wants: of a series or of an album. A value; it reads no file.
package struct FilmOrder: Sendable, Hashable {
    /// The pictures of the film.
    package enum Source: Sendable, Hashable {
        /// The series with this ID.
        case series(String)
        /// The album with this ID.
        case album(String)
    }

    /// The maximum size of an order, in bytes.
    package static let mostBytes = 16 << 10
    private static let members: Set = [
        "series", "album", "rate", "length_s", "width", "height", "gaps", "deflicker", "time", "since", "until",
    ]

    package let source: Source
    /// The settings, with the times as they were given.
    let settings: FilmSettings
    /// The order as one object.
    package let json: JSONValue

    /// Reads an object such as `{"series": "garden", "length_s": 20, "deflicker": true}`.
    ///
    /// - Throws: ``CaptureError`` `.usage` that names the member at fault.
    package init(_ bytes: [UInt8]) throws(CaptureError) {
        guard bytes.count <= Self.mostBytes else { throw Self.mistake("order", "is too long", "give 16 KiB at most") }
        let node: JSONNode
        do throws(CaptureError) {
            node = try JSONNode(String(decoding: bytes, as: UTF8.self), path: "order", levels: 2, mostValues: 32)
        } catch {
            throw CaptureError(.usage, error.message, subject: "order", advice: error.advice)
        }
        self = try Self.usage { () throws(CaptureError) in try FilmOrder(node) }
    }

    private init(_ node: JSONNode) throws(CaptureError) {
        for (name, _) in try node.members() where !Self.members.contains(name) {
            throw Self.mistake(name, "is not known", "give \(Self.members.sorted().joined(separator: ", "))")
        }
        source = try Self.source(node)
        var (settings, members): (FilmSettings, [JSONValue.Member]) = (FilmSettings(), [])
        func keep(_ name: String, _ value: JSONValue) { members.append(JSONValue.Member(name: name, value: value)) }
        switch source {
        case .series(let id): keep("series", .string(id))
        case .album(let id):
            keep("album", .string(id))
            settings.order = .time
        }
        try Self.readPace(node, &settings, keep)
        if node.has("width") || node.has("height") {
            let size = FrameSize(
                width: try node.integer("width", 16...FrameSize.most.width),
                height: try node.integer("height", 16...FrameSize.most.width))
            settings.size = size
            keep("width", .integer(size.width))
            keep("height", .integer(size.height))
        }
        if node.has("gaps") {
            settings.gaps = try node.word("gaps")
            keep("gaps", .string(settings.gaps.rawValue))
        }
        if node.has("deflicker") {
            settings.deflickers = try node.flag("deflicker")
            keep("deflicker", .bool(settings.deflickers))
        }
        if let format = try node.optionalText("time") {
            guard (1...100).contains(format.utf8.count), format == format.withoutControls else {
                throw Self.mistake("time", "is empty or too long", "give a format such as %H:%M")
            }
            settings.time = format
            keep("time", .string(format))
        }
        settings.since = try Self.moment("since", node, keep)
        settings.until = try Self.moment("until", node, keep)
        (self.settings, json) = (settings, .object(members))
    }

    private static func source(_ node: JSONNode) throws(CaptureError) -> Source {
        switch (try node.optionalText("series"), try node.optionalText("album")) {
        case (let id?, nil): return .series(id)
        case (nil, let id?): return .album(id)
        case (nil, nil): throw mistake("series", "is missing", "give a series or an album")
        case (.some, .some): throw mistake("album", "stands beside a series", "give one of them")
        }
    }

    private static func readPace(
        _ node: JSONNode, _ settings: inout FilmSettings, _ keep: (String, JSONValue) -> Void
    ) throws(CaptureError) {
        let (rate, length) = (try node.optionalNumber("rate"), try node.optionalNumber("length_s"))
        if rate != nil, length != nil { throw mistake("length_s", "stands beside a rate", "give one of them") }
        if let rate {
            guard (0.01...120).contains(rate) else { throw mistake("rate", "is out of range", "give 0.01 to 120") }
            settings.pace = .rate(Fraction(Int32((rate * 1000).rounded()), 1000))
            keep("rate", .number(rate))
        }
        if let length {
            guard (1...86400).contains(length) else { throw mistake("length_s", "is out of range", "give 1 to 86400") }
            settings.pace = .length(.milliseconds(Int64(length * 1000)))
            keep("length_s", .number(length))
        }
    }

    /// Reads a time as the ledger does. A time such as `2h ago` is kept as that moment.
    private static func moment(
        _ name: String, _ node: JSONNode, _ keep: (String, JSONValue) -> Void
    ) throws(CaptureError) -> WallTime? {
        guard let text = try node.optionalText(name) else { return nil }
        do throws(CaptureError) {
            let moment = try LedgerFilter.moment(parsing: text)
            keep(name, .string(moment.formatted("%Y-%m-%d %H:%M:%S") ?? text))
            return moment
        } catch {
            throw mistake(name, error.message, error.advice)
        }
    }

    private static func usage(_ body: () throws(CaptureError) -> FilmOrder) throws(CaptureError) -> FilmOrder {
        do throws(CaptureError) {
            return try body()
        } catch {
            throw CaptureError(.usage, error.message, subject: error.subject, advice: error.advice)
        }
    }

    private static func mistake(_ member: String, _ problem: String, _ advice: String?) -> CaptureError {
        CaptureError(.usage, problem, subject: member, advice: advice)
    }
}
