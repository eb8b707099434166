// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch
import Glibc

/// Lines of standard input, on which a program sends requests.
enum RequestLines {
    /// The requests that can wait for their turn; standard input is not read further until one of them is done.
    private static let room = DispatchSemaphore(value: 64)

    /// The lines as they come, for one caller, who calls ``release()`` after each; ends with standard input. A line that is too long, or is no UTF-8, comes as an
    /// error.
    static func lines() -> AsyncStream<Result<String, CaptureError>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Result<String, CaptureError>.self)
        // read(2) blocks, and so has a separate thread.
        DispatchQueue(label: "gst-capture.requests").async { read(into: continuation) }
        return stream
    }

    /// Makes room for another line.
    static func release() { room.signal() }

    private static func read(into lines: AsyncStream<Result<String, CaptureError>>.Continuation) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var splitter = LineSplitter(most: SessionRequest.mostBytes)
        while true {
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in splitter.add(bytes.prefix(count)) {
                room.wait()
                lines.yield(line)
            }
        }
        lines.finish()
    }
}

/// Splits bytes into lines of a bounded length. Pure.
struct LineSplitter {
    private let most: Int
    private var rest: [UInt8] = []
    private var isTooLong = false

    /// - Parameter most: The longest line in bytes; the rest of a longer one is skipped.
    init(most: Int) { self.most = most }

    /// The lines that are whole now; empty ones are left out.
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

    private mutating func takeLine() -> Result<String, CaptureError>? {
        defer { (rest, isTooLong) = ([], false) }
        if isTooLong { return .failure(CaptureError(.usage, "is longer than \(most) bytes", subject: "request")) }
        guard let text = String(validating: rest, as: UTF8.self) else {
            return .failure(CaptureError(.usage, "is no UTF-8", subject: "request"))
        }
        return text.allSatisfy(\.isWhitespace) ? nil : .success(text)
    }
}
