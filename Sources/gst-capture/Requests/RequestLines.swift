// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch
import SessionKit
import TerminalKit

/// The lines of standard input, on which a program sends requests.
enum RequestLines {
    /// The longest line in bytes.
    static let mostBytes = 16384
    /// The number of further requests that may wait. When it is 0, standard input is not read until an answer is
    /// written: the answers that wait for a reader that stalls are bounded.
    private static let room = DispatchSemaphore(value: 64)

    /// Returns the lines as they arrive, for one caller, who releases each after its answer. The stream ends with
    /// standard input.
    static func lines() -> AsyncStream<RequestLine> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestLine.self)
        // Reading blocks, so it has a separate thread.
        DispatchQueue(label: "gst-capture.requests").async { read(into: continuation) }
        return stream
    }

    private static func read(into lines: AsyncStream<RequestLine>.Continuation) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var splitter = LineSplitter(most: mostBytes)
        while true {
            let count = StandardInput.read(into: &bytes)
            guard count > 0 else { break }
            for line in splitter.add(bytes.prefix(count)) { yield(line) }
        }
        for line in splitter.finish() { yield(line) }
        lines.finish()

        func yield(_ line: Result<String, CaptureError>) {
            room.wait()
            lines.yield(RequestLine(line, from: nil, room))
        }
    }
}

/// Splits bytes into lines of a bounded length. Pure.
struct LineSplitter {
    private let most: Int
    private var rest: [UInt8] = []
    private var isTooLong = false

    /// Creates a splitter.
    ///
    /// - Parameter most: The longest line in bytes. A longer line becomes an error.
    init(most: Int) { self.most = most }

    /// Adds bytes.
    ///
    /// - Returns: The lines that are complete now, without empty ones.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [Result<String, CaptureError>] {
        var lines: [Result<String, CaptureError>] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let line = takeLine() { lines.append(line) }
            } else if rest.count < most {
                rest.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// Returns the last line if no line break follows it.
    mutating func finish() -> [Result<String, CaptureError>] {
        takeLine().map { [$0] } ?? []
    }

    private mutating func takeLine() -> Result<String, CaptureError>? {
        defer { (rest, isTooLong) = ([], false) }
        if isTooLong { return .failure(CaptureError(.usage, "is longer than \(most) bytes", subject: "request")) }
        guard let text = String(validating: rest, as: UTF8.self) else {
            return .failure(CaptureError(.usage, "is not UTF-8", subject: "request"))
        }
        return text.allSatisfy(\.isWhitespace) ? nil : .success(text)
    }
}
