// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Logging
import Synchronization

/// The log of all services of the test's process.
enum MemoryLog {
    private static let lines = Mutex<[String]>([])
    private static let began: Void = LoggingSystem.bootstrap { _ in Handler() }

    /// Begins the log. Loggers that exist already write elsewhere.
    static func begin() { began }

    /// The lines that contain a text.
    static func lines(with text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

    private struct Handler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
            let line = ([event.message.description] + fields).joined(separator: " ")
            MemoryLog.lines.withLock { $0.append(line) }
        }
    }
}
#endif
