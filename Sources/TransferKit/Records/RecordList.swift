// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit

/// Reads the list of the changes of a collection, page by page.
struct RecordList {
    private let address: String
    private let since: Int?
    private let entries: Int

    /// The longest page, in bytes.
    private static let mostBytes = 16 << 20
    /// The most pages, and the longest query of one, in bytes.
    private static let mostPages = 20_000, mostQuery = 8192

    /// - Parameters:
    ///   - address: That of the records of a collection.
    ///   - entries: The records of a page, unless they are too long.
    init(_ address: String, since: Int?, entries: Int) {
        (self.address, self.since, self.entries) = (address, since, entries)
    }

    /// Returns a page; the first one for `nil`.
    func page(_ place: RecordChanges.Next?, _ session: BackendSession) throws(RecordRemoteFault) -> RecordChanges {
        let first = since.map { "_since=%22\($0)%22&_sort=last_modified" } ?? "_sort=last_modified"
        var headers: [String] = []
        if let since, place == nil { headers = ["If-None-Match: \"\(since)\""] }
        var response = try get(place?.query ?? first, headers, session)
        if response.status == 304 {
            // A backend that was restored from an older copy can have answered so.
            guard let since, let etag = Self.etag(response) ?? Optional(since) else {
                throw .damaged("the backend answers 304 to a request that has no condition")
            }
            if etag == since { return RecordChanges(etag: since, isUnchanged: true) }
            response = try get(first, [], session)
        }
        if let fault = RecordRemoteFault(response, .collection) { throw fault }
        return try read(response, place)
    }

    /// Requests a page with as many records as have room.
    private func get(
        _ query: String, _ headers: [String], _ session: BackendSession
    ) throws(RecordRemoteFault) -> CurlResponse {
        var count = entries
        while count > 0 {
            var request = CurlRequest("GET", "\(address)?\(query)&_limit=\(count)", headers: headers)
            request.answer = .text(most: Self.mostBytes)
            if let response = try session.response(request) { return response }
            count = count > 1 ? max(1, count / 8) : 0
        }
        throw .damaged("a record of the backend is too long")
    }

    private func read(_ response: CurlResponse, _ place: RecordChanges.Next?) throws(RecordRemoteFault) -> RecordChanges
    {
        guard let etag = place?.etag ?? Self.etag(response) else {
            throw .damaged("the list of the backend has no ETag")
        }
        guard let entries = JSONPieces(response.body[...])?["data"].flatMap(JSONPieces.entries) else {
            throw .damaged("the answer of the backend is not a list of records")
        }
        let before = place?.last ?? since ?? 0
        var (last, changes) = (before, RecordChanges(etag: etag))
        for entry in entries {
            let record: RemoteRecord
            do throws(RecordChanges.Damaged) {
                record = try RemoteRecord(entry)
            } catch {
                last = max(last, RemoteRecord.etag(entry) ?? 0)
                changes.damaged.append(error)
                continue
            }
            // Otherwise the next page could leave records out, or the list could have no end.
            guard record.etag > last else {
                throw .damaged("the list of the backend is not in the order of its changes")
            }
            last = record.etag
            changes.records.append(record)
        }
        if let next = response.header("next-page") {
            let number = (place?.number ?? 0) + 1
            guard last > before, number < Self.mostPages else { throw .damaged("the list of the backend has no end") }
            changes.next = .init(query: try Self.query(next), etag: etag, last: last, number: number)
        } else if let since {
            changes.hasGap = last < etag && since < etag
        }
        return changes
    }

    /// Returns the query of an address without its limit. The rest of the address is not used: credentials go to no other
    /// server, and a backend behind a proxy may not know its own address.
    private static func query(_ address: String) throws(RecordRemoteFault) -> String {
        let query = address.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let isSafe = query.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
        guard !query.isEmpty, query.utf8.count <= mostQuery, isSafe else {
            throw .damaged("the address of the next page cannot be read")
        }
        return query.split(separator: "&").filter { !$0.hasPrefix("_limit=") }.joined(separator: "&")
    }

    /// Returns the ETag of a response. A proxy that compresses makes it a weak one.
    private static func etag(_ response: CurlResponse) -> Int? {
        guard var text = response.header("etag")?[...] else { return nil }
        if text.hasPrefix("W/") { text = text.dropFirst(2) }
        guard text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        return RemoteRecord.number(text.dropFirst().dropLast().utf8)
    }
}
#endif
