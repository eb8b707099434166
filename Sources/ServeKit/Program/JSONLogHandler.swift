// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import Logging

/// Logs a JSON object a line to standard error, for journals.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let members = all.sorted { $0.key < $1.key }.map { key, value in
            JSONValue.Member(name: key, value: .string("\(value)"))
        }
        let head: [JSONValue.Member] = [
            .init(name: "at", value: .string(WallTime.now().iso8601)),
            .init(name: "level", value: .string(event.level.rawValue)),
            .init(name: "message", value: .string(event.message.description)),
        ]
        StandardError.line(JSONValue.object(head + members).text)
    }
}

/// The standard error of the program.
enum StandardError {
    /// Writes a line; an error is ignored, as there is no other place to report it.
    static func line(_ text: String) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
#endif
