// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A response as the journal keeps it.
public struct RecordedResponse: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The header fields, without those that each response gets.
    public let headers: [Header]
    /// The body.
    public let body: [UInt8]

    /// A header field.
    public struct Header: Sendable, Hashable {
        /// The name and the value. Neither has a line break.
        public let name: String, value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Creates a response.
    public init(status: Int, headers: [Header], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// A request in the journal: its pictures, and its response once there is one.
struct RequestRecord: Sendable, Hashable {
    /// The name of the request.
    var name: String
    /// Identifies the content of the request: its method, its target and its preferences.
    var fingerprint: String
    /// When the request was received, in seconds since 1970.
    var time: Int64
    /// The pictures that the request is about to store, or has stored, in order.
    var pictures: [PlannedPicture] = []
    /// The response; `nil` until it is known.
    var response: RecordedResponse?
}

// MARK: - The text of a record

extension RequestRecord {
    fileprivate static let head = "gst-capture request 1"

    /// The record as the content of a file: lines of text, an empty line, and the body of the response.
    var bytes: [UInt8] {
        var lines = [Self.head, "name \(name)", "fingerprint \(fingerprint)", "time \(time)"]
        lines += pictures.map { "picture \($0.text)" }
        if let response {
            lines.append("status \(response.status)")
            lines += response.headers.map { "header \($0.name) \($0.value)" }
            lines.append("body \(response.body.count)")
        }
        return Array((lines.joined(separator: "\n") + "\n\n").utf8) + (response?.body ?? [])
    }

    /// Reads a record; `nil` if the bytes are damaged.
    init?(_ bytes: [UInt8]) {
        guard let head = RecordHead(bytes), head.byteCount == bytes.count else { return nil }
        self = head.record
        guard let status = head.status else { return }
        response = RecordedResponse(
            status: status, headers: head.headers, body: Array(bytes[(bytes.count - head.bodyCount)...]))
    }
}

/// All of a record but the body of its response. The rest of the file need not be read.
struct RecordHead {
    /// The record, without its response.
    let record: RequestRecord
    /// The status of the response; `nil` if there is none yet.
    let status: Int?
    fileprivate let headers: [RecordedResponse.Header]
    fileprivate let bodyCount: Int
    /// The size that the whole file must have.
    let byteCount: Int

    /// The largest body. A record in a file that claims more is damaged.
    private static let mostBytes = 1 << 30

    /// Reads the beginning of a record; `nil` if it is damaged, or if it ends before the empty line.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes),
            let text = String(validating: bytes[..<end], as: UTF8.self)
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first == RequestRecord.head[...] else { return nil }
        var (name, fingerprint, time, status, count) = (
            String?.none, String?.none, Int64?.none, Int?.none, Int?.none
        )
        var (pictures, headers): ([PlannedPicture], [RecordedResponse.Header]) = ([], [])
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "name": name = String(words[1])
            case "fingerprint": fingerprint = String(words[1])
            case "time": time = Int64(words[1])
            case "status": status = Int(words[1])
            case "body": count = Int(words[1])
            case "picture":
                guard let picture = PlannedPicture(words[1]) else { return nil }
                pictures.append(picture)
            case "header":
                let pair = words[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { return nil }
                headers.append(RecordedResponse.Header(String(pair[0]), String(pair[1])))
            default: return nil
            }
        }
        guard let name, let fingerprint, let time, (status == nil) == (count == nil) else { return nil }
        guard status.map((200...599).contains) ?? headers.isEmpty, (0...Self.mostBytes).contains(count ?? 0) else {
            return nil
        }
        record = RequestRecord(name: name, fingerprint: fingerprint, time: time, pictures: pictures)
        (self.status, self.headers, bodyCount) = (status, headers, count ?? 0)
        byteCount = end + 2 + bodyCount
    }

    /// Returns the index of the empty line.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let newline = UInt8(ascii: "\n")
        return bytes.indices.dropLast().first { bytes[$0] == newline && bytes[$0 + 1] == newline }
    }
}

/// A picture that a request is about to store: all that the ledger records of it.
struct PlannedPicture: Sendable, Hashable {
    /// The ID of the camera.
    let camera: String
    /// The path of the file.
    let path: String
    /// The SHA-256 of the file, 64 hexadecimal digits.
    var sha256: String
    /// The size of the file in bytes.
    var byteCount: Int
    /// The size of the picture in pixels.
    let width: Int, height: Int
    /// The moment of the frame, and when the picture was due.
    let captured: WallTime, due: WallTime
    /// The distance from the requested moment, in nanoseconds.
    let offset: Int64
    /// `true` if that is more than the capture tolerates.
    let isLate: Bool
    /// The number within a burst, from 0, and the number of the picture of its camera, from 1.
    let burstIndex: Int, sequence: Int
}

extension PlannedPicture {
    /// Returns the picture with another content of its file.
    func with(_ bytes: [UInt8]) -> PlannedPicture {
        var picture = self
        (picture.sha256, picture.byteCount) = (SHA256.digits(of: bytes), bytes.count)
        return picture
    }

    /// The picture as a line of text. Neither an ID nor a path has a line break.
    var text: String {
        let numbers: [Int64] = [
            Int64(byteCount), Int64(width), Int64(height), captured.seconds, Int64(captured.nanoseconds),
            Int64(captured.utcOffset), due.seconds, Int64(due.nanoseconds), Int64(due.utcOffset), offset,
            isLate ? 1 : 0, Int64(burstIndex), Int64(sequence),
        ]
        return ([camera, sha256] + numbers.map(String.init) + [path]).joined(separator: " ")
    }

    /// Reads a line; `nil` if it is damaged.
    init?(_ text: Substring) {
        let words = text.split(separator: " ", maxSplits: 15, omittingEmptySubsequences: false)
        let numbers = words.dropFirst(2).prefix(13).compactMap { Int64($0) }
        guard words.count == 16, numbers.count == 13, words[15].hasPrefix("/"), words[1].utf8.count == 64,
            Self.isTime(numbers[3...5]), Self.isTime(numbers[6...8]),
            numbers[...2].allSatisfy(Self.counts.contains), numbers[11...].allSatisfy(Self.counts.contains)
        else { return nil }
        (camera, sha256, path) = (String(words[0]), String(words[1]), String(words[15]))
        (byteCount, width, height) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]))
        captured = Self.time(numbers[3...5])
        due = Self.time(numbers[6...8])
        (offset, isLate) = (numbers[9], numbers[10] != 0)
        (burstIndex, sequence) = (Int(numbers[11]), Int(numbers[12]))
    }

    /// Sizes and numbers, to which others can be added.
    private static let counts: ClosedRange<Int64> = 0...(1 << 50)
    /// The seconds of a time, of some ten thousand years.
    private static let seconds: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

    private static func isTime(_ numbers: ArraySlice<Int64>) -> Bool {
        let list = Array(numbers)
        return seconds.contains(list[0]) && (0..<1_000_000_000).contains(list[1])
            && (-86399...86399).contains(list[2])
    }

    private static func time(_ numbers: ArraySlice<Int64>) -> WallTime {
        let list = Array(numbers)
        return WallTime(seconds: list[0], nanoseconds: Int32(list[1]), utcOffset: Int(list[2]))
    }
}
