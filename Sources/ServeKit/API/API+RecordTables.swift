// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import RecordKit
import ServiceKit
import SystemBase

// Records as tables, for spreadsheets and other programs. Pictures are named by their hashes.
extension API {
    func recordTableEndpoints(_ records: RecordDesk) -> [Endpoint] { [export(records), importer(records)] }

    private func export(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}/export",
            summary:
                "All records of a kind that are not in the trash, as a table. A side has the SHA-256 of its picture.",
            parameters: [
                .recordKind,
                Endpoint.Parameter(
                    place: .query, name: "format", summary: "Comma-separated values, or JSON lines.",
                    schema: .object([
                        "type": .string("string"), "enum": .array([.string("csv"), .string("jsonl")]),
                        "default": .string("csv"),
                    ])),
            ], content: .other(["text/csv", "application/jsonl"]), problems: [.notFound], access: .role(.capture)
        ) { request in
            let kind = try records.kind(request)
            let format = try RecordFormat(request.query("format") ?? "csv")
            guard !request.isHead else { return Response(status: .ok, headers: format.headers(kind)) }
            let text = try await records.perform { try RecordExport.text(format, of: kind, from: $0) }
            return Response(
                status: .ok, headers: format.headers(kind), body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    private func importer(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/import",
            summary:
                "Creates and changes records by a table: a line changes the record with its id or its key, or creates one. "
                + "If a line has a mistake, nothing is stored, and the response has all mistakes with their lines.",
            parameters: [
                .recordKind,
                .query("partial", "yes to store the lines without mistakes, even if others have some."),
                .query("dry-run", "yes to store nothing."),
            ], body: .table, content: .json("RecordImport"), problems: [.notFound, .contentTooLarge],
            access: .role(.capture)
        ) { request in
            let kind = try records.kind(request)
            let type = request.headers[.contentType]?.lowercased() ?? ""
            let format: RecordFormat = type.hasPrefix("text/csv") ? .csv : .json
            let (isPartial, isTrial) = (try request.flag("partial"), try request.flag("dry-run"))
            let report = try await records.perform { [body = request.body] store in
                var reader = RecordImport(body, format, into: store, kind: kind)
                return try reader.run(isPartial: isPartial, isTrial: isTrial)
            }
            return .json(report.json)
        }
    }
}

extension RecordFormat {
    /// Reads the parameter `format`.
    fileprivate init(_ text: String) throws(Problem) {
        switch text {
        case "csv": self = .csv
        case "jsonl": self = .json
        default: throw Problem(.badRequest, "format: \(text.quoted) is not known", advice: "give csv or jsonl")
        }
    }

    /// The type of the table, and the name of its file.
    fileprivate func headers(_ kind: RecordKind) -> HTTPFields {
        let (type, ending) = self == .csv ? ("text/csv", "csv") : ("application/jsonl", "jsonl")
        return [.contentType: type, .contentDisposition: "attachment; filename=\"\(kind.id).\(ending)\""]
    }
}

extension RecordImport.Report {
    /// The report as an object for programs.
    fileprivate var json: JSONValue {
        .object([
            "stored": .bool(isStored), "created": .integer(created), "changed": .integer(changed),
            "unchanged": .integer(unchanged), "faults": .array(faults.map(\.json)),
        ])
    }
}

extension RecordLineFault {
    fileprivate var json: JSONValue {
        guard case .object(let members) = fault.json else { return fault.json }
        return .object([JSONValue.Member(name: "line", value: .integer(line))] + members)
    }
}
#endif
