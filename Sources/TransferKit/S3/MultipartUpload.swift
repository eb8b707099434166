// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import SystemBase
import UploadKit

/// Sends one picture to an S3 store in parts, and resumes after an interruption.
struct MultipartUpload {
    private let upload: Upload
    private let name: PictureName
    private let file: PictureFile
    private let session: S3Session
    private let parts: [Range<Int>]

    /// A part that the store has.
    private struct Part {
        var tag: String
        var byteCount: Int
    }

    /// The size of parts up to 80 GB, and the most parts of an object.
    private static let (partSize, mostParts) = (8 << 20, 10_000)
    /// The number of parts in an answer: it stays below the limit of ``CurlExchange/mostText``.
    private static let partsPerAnswer = 100

    init(_ upload: Upload, _ name: PictureName, _ file: PictureFile, _ session: S3Session) {
        (self.upload, self.name, self.file, self.session) = (upload, name, file, session)
        let size = max(Self.partSize, (file.byteCount + Self.mostParts - 1) / Self.mostParts)
        parts = stride(from: 0, to: file.byteCount, by: size).map { $0..<min($0 + size, file.byteCount) }
    }

    /// Delivers the picture. The token is the hash of the picture, a space and the ID of the upload.
    func deliver(token: String?, keep: (String) -> Void) throws(TransferFault) -> Delivery {
        let words = token?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        let old = words.count == 2 ? words[1] : nil
        if let delivery = try existing(old) { return delivery }
        if let old, words[0] != upload.sha256 {
            abort(old)
        } else if let old, let stored = try list(old) {
            return try deliver(old, stored)
        }
        let id = try create()
        keep("\(upload.sha256) \(id)")
        return try deliver(id, [:])
    }

    /// Returns the end of the delivery if the store has an object of this name, and aborts the upload. Stores can
    /// ignore `If-None-Match` when they join parts.
    private func existing(_ id: String?) throws(TransferFault) -> Delivery? {
        let found = try session.compare(upload, name)
        if case .missing = found { return nil }
        if let id { abort(id) }
        return try found.delivery()
    }

    private func deliver(_ id: String, _ stored: [Int: Part]) throws(TransferFault) -> Delivery {
        do throws(TransferFault) {
            var entries = ""
            for (number, range) in zip(1..., parts) {
                let sum = try file.sha256(range, session.cancellation)
                let part = stored[number].flatMap { $0.byteCount == range.count ? $0 : nil }
                let tag = if let part { part.tag } else { try send(number, range, sum, id) }
                entries += "<Part><ChecksumSHA256>\(sum.base64OfHexadecimal)</ChecksumSHA256>"
                entries += "<ETag>\(XMLText.escaped(tag))</ETag><PartNumber>\(number)</PartNumber></Part>"
            }
            if let delivery = try existing(id) { return delivery }
            return try complete(id, "<CompleteMultipartUpload>\(entries)</CompleteMultipartUpload>")
        } catch {
            if !error.canResume { abort(id) }
            throw error
        }
    }
}

// MARK: - Requests

extension MultipartUpload {
    private func create() throws(TransferFault) -> String {
        let response = try session.send(
            "POST", name.text, query: "?uploads=",
            headers: ["Content-Type: \(name.mediaType)", "x-amz-checksum-algorithm: SHA256"], body: .bytes([]),
            sha256: SHA256.digits(of: []))
        if let fault = S3Fault.fault(response) { throw fault }
        guard let id = XMLText(response.body).text("UploadId"), !id.isEmpty else {
            throw .unreachable("the store does not begin an upload", pause: nil)
        }
        return id
    }

    /// Sends a part, and returns its tag.
    private func send(
        _ number: Int, _ range: Range<Int>, _ sum: String, _ id: String
    ) throws(TransferFault) -> String {
        let response = try session.send(
            "PUT", name.text, query: "?partNumber=\(number)&uploadId=\(ServerAddress.encoded(id))",
            headers: ["x-amz-checksum-sha256: \(sum.base64OfHexadecimal)"], body: .file(file, range), sha256: sum)
        if let fault = S3Fault.fault(response) { throw fault }
        guard let tag = response.header("etag") else {
            throw .unreachable("the store does not name the part that it received", pause: nil)
        }
        return tag
    }

    /// Returns the parts that the store has, by number; `nil` if it no longer has the upload.
    private func list(_ id: String) throws(TransferFault) -> [Int: Part]? {
        var (found, marker) = ([Int: Part](), 0)
        while marker < parts.count {
            let query =
                "?max-parts=\(Self.partsPerAnswer)&part-number-marker=\(marker)"
                + "&uploadId=\(ServerAddress.encoded(id))"
            let response = try session.send("GET", name.text, query: query)
            if S3Fault.code(response) == "NoSuchUpload" { return nil }
            if let fault = S3Fault.fault(response) { throw fault }
            var last = marker
            for part in XMLText(response.body).elements("Part") {
                guard let number = part.text("PartNumber").flatMap({ Int($0) }), let tag = part.text("ETag"),
                    let size = part.text("Size").flatMap({ Int($0) })
                else { continue }
                found[number] = Part(tag: tag, byteCount: size)
                last = max(last, number)
            }
            // Only higher numbers go on: a store cannot keep this loop busy.
            guard last > marker, XMLText(response.body).text("IsTruncated") == "true" else { break }
            marker = last
        }
        return found
    }

    private func complete(_ id: String, _ list: String) throws(TransferFault) -> Delivery {
        let body = Array(list.utf8)
        let response = try session.send(
            "POST", name.text, query: "?uploadId=\(ServerAddress.encoded(id))",
            headers: ["Content-Type: application/xml", "If-None-Match: *"], body: .bytes(body),
            sha256: SHA256.digits(of: body))
        if response.status == 412 {
            // Not this upload, which the store still has.
            let delivery = try session.compare(upload, name).delivery()
            abort(id)
            return delivery
        }
        if let fault = S3Fault.fault(response) { throw fault }
        return .confirmed(.hash)
    }

    /// Makes the store forget the parts. A failure is no fault: stores remove uploads that are never completed.
    private func abort(_ id: String) {
        _ = try? session.send("DELETE", name.text, query: "?uploadId=\(ServerAddress.encoded(id))")
    }
}

extension TransferFault {
    /// `true` if a later attempt can use the parts of this one.
    fileprivate var canResume: Bool {
        switch self {
        case .unreachable, .full, .access, .clock, .canceled: true
        case .missing, .refused, .nameTaken, .gone, .changed, .damaged: false
        }
    }
}
#endif
