// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit

extension RemoteRecord {
    /// Reads a record of a backend:
    /// `{"id": "…", "last_modified": 1796090657423, "fields": {…}, "sides": {…}}`, or with `"deleted": true`.
    ///
    /// Other members are ignored, and may have any size and depth.
    init(_ text: ArraySlice<UInt8>) throws(RecordChanges.Damaged) {
        guard let members = JSONPieces(text) else { throw .init(id: nil, reason: "the record is not an object") }
        guard let id = members["id"].flatMap(Self.id) else { throw .init(id: nil, reason: "the record has no ID") }
        guard let etag = members["last_modified"].flatMap({ Self.number($0) }) else {
            throw .init(id: id, reason: "the record has no last_modified")
        }
        if members["deleted"].map({ $0.elementsEqual("true".utf8) }) == true {
            self.init(id: id, etag: etag, content: nil)
            return
        }
        do throws(CaptureError) {
            self.init(id: id, etag: etag, content: try Self.content(members))
        } catch {
            throw .init(id: id, reason: error.description)
        }
    }

    /// Reads `last_modified` of a record whose other members may be damaged.
    static func etag(_ text: ArraySlice<UInt8>) -> Int? {
        JSONPieces(text)?["last_modified"].flatMap { number($0) }
    }

    /// Reads an ETag: JSON keeps integers up to 2 to the 53rd.
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...16).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { (1..<(1 << 53)).contains($0) ? $0 : nil }
    }

    private static func id(_ text: ArraySlice<UInt8>) -> RecordID? {
        guard text.count == 38, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return nil }
        return RecordID(String(decoding: text.dropFirst().dropLast(), as: UTF8.self))
    }

    private static func content(_ members: JSONPieces) throws(CaptureError) -> RecordContent {
        var text: [UInt8] = []
        for name in ["fields", "sides"] {
            guard let value = members[name] else { continue }
            text += Array("\(text.isEmpty ? "{" : ",")\"\(name)\":".utf8) + value
        }
        guard let text = String(validating: text.isEmpty ? Array("{}".utf8) : text + Array("}".utf8), as: UTF8.self)
        else { throw CaptureError(.inputOutput, "is not UTF-8", subject: "record") }
        return try RecordContent(text, path: "record")
    }
}
#endif
