// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import RecordKit
import ServiceKit

// The parts of requests for records, and of their responses.

/// The kind and the ID of a record in a path.
struct RecordPlace: Sendable {
    let kind: RecordKind
    let id: RecordID
}

extension RecordDesk {
    /// Returns the kind that the path of a request names.
    ///
    /// - Throws: `CaptureError` `.noInput` if the service does not have it.
    nonisolated func kind(_ request: APIRequest) throws(CaptureError) -> RecordKind { try kind(request.path("kind")) }

    /// Returns a kind by its ID.
    nonisolated func kind(_ id: String) throws(CaptureError) -> RecordKind {
        guard let kind = kinds.first(where: { $0.id == id }) else { throw .unknown("kind of records", id) }
        return kind
    }

    /// Returns the record that the path of a request names.
    nonisolated func place(_ request: APIRequest) throws(CaptureError) -> RecordPlace {
        RecordPlace(kind: try kind(request), id: try RecordID(known: request.path("record")))
    }
}

extension RecordStore {
    /// Returns a record of a kind.
    ///
    /// - Throws: `RecordRefusal.missing` if there is none.
    func record(_ place: RecordPlace) throws -> Record {
        guard let record = try record(place.id), record.kind == place.kind.id else { throw RecordRefusal.missing }
        return record
    }
}

extension RecordID {
    /// Reads the ID in a request.
    ///
    /// - Throws: `CaptureError` `.noInput` if the text is none.
    init(known text: String) throws(CaptureError) {
        guard let id = RecordID(text) else { throw .unknown("record", text) }
        self = id
    }
}

extension RecordContent {
    /// Reads `{"fields": {"name": "Ada"}, "sides": {"front": {"blob": {…}}}}`. Other members, such as those of a record,
    /// are ignored.
    init(_ request: APIRequest) throws(Problem) {
        self = try JSONNode.body(
            request.body, levels: Self.levels, mostValues: Self.mostValues, example: #"{"fields": {}, "sides": {}}"#
        ) { node throws(CaptureError) in try RecordContent(node) }
    }
}

extension Caller {
    /// The name that changes of records have; `nil` for users of this machine.
    var actor: String? { if case .token(let token) = self { token.name } else { nil } }
}

extension APIRequest {
    /// The languages that the client prefers, the best first (RFC 9110, section 12.5.4).
    var languages: [String] {
        let ranges = headers[values: .acceptLanguage].flatMap { $0.split(separator: ",") }.prefix(32)
        let weighted = ranges.map { range -> (tag: String, weight: Double) in
            let parts = range.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
                Double(decimal: String($0.dropFirst(2)))
            }
            return ((parts.first ?? "").lowercased(), weight ?? 1)
        }
        return weighted.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
    }

    /// The revision that a change was made of.
    ///
    /// - Throws: ``Problem`` 428 without the field If-Match.
    var revision: Int {
        get throws(Problem) {
            guard let revision = try optionalRevision else {
                throw Problem(
                    .preconditionRequired, "If-Match is missing", advice: "send the ETag of the record that you changed"
                )
            }
            return revision
        }
    }

    /// The revision of the field If-Match; `nil` without one, or for any revision. A tag that no revision has is 0.
    var optionalRevision: Int? {
        get throws(Problem) {
            let tags = headers[values: .ifMatch]
            guard let tag = tags.first, tag != "*" else { return nil }
            guard tags.count == 1, tag.utf8.count > 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return 0 }
            let digits = tag.dropFirst().dropLast()
            guard digits.utf8.count <= 9, digits.utf8.allSatisfy(\.isDigit) else { return 0 }
            return Int(digits) ?? 0
        }
    }

    /// The number of the version to restore, `{"revision": 3}`; `nil` for the last one.
    var version: Int? {
        get throws(Problem) {
            guard !body.isEmpty else { return nil }
            return try JSONNode.body(body, levels: 2, mostValues: 8, example: #"{"revision": 3}"#) {
                node throws(CaptureError) in
                node.has("revision") ? try node.integer("revision", 1...999_999_999) : nil
            }
        }
    }
}

extension Response {
    /// Returns a record with its revision as the ETag.
    ///
    /// - Parameter sync: The relation of the record to the backend; `nil` without one.
    static func record(
        _ record: Record, status: HTTPResponse.Status = .ok, sync: RecordCondition? = nil
    ) -> Response {
        .json(
            .object(record.members + (sync?.members ?? [])), status: status, headers: [.eTag: "\"\(record.revision)\""])
    }
}

extension Problem {
    /// The problem of a change that a store refuses.
    init(_ refusal: RecordRefusal) {
        switch refusal {
        case .faults(let faults):
            self.init(.unprocessableContent, "the record is not valid", advice: "see faults")
            members = [JSONValue.Member(name: "faults", value: .array(faults.map(\.json)))]
        case .changed(let record):
            self.init(
                .preconditionFailed, "the record was changed meanwhile", advice: "change the present record, see record"
            )
            headers = [.eTag: "\"\(record.revision)\""]
            members = [JSONValue.Member(name: "record", value: record.json)]
        case .missing: self.init(.notFound, CaptureError(.noInput, "there is no such record"))
        case .other(let error): self.init(error)
        }
    }
}

extension Endpoint.Parameter {
    static let recordKind = Endpoint.Parameter(
        place: .path, name: "kind", summary: "The ID of the kind, such as loyalty-card.", schema: .id)
    static let record = Endpoint.Parameter(
        place: .path, name: "record", summary: "The ID of the record.", schema: .recordID)
    static let ifMatch = Endpoint.Parameter(
        place: .header, name: "If-Match", summary: "The ETag of the record, such as \"3\".", schema: .type("string"))
    static let acceptLanguage = Endpoint.Parameter(
        place: .header, name: "Accept-Language", summary: "The languages of the texts, such as de.",
        schema: .type("string"))
}

extension JSONValue {
    /// The schema of the ID of a record.
    static let recordID = text("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
}
#endif
