// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Logging
import Synchronization

/// The lines that are logged in the test's process: those of one service, and those of all.
final class MemoryLog: Sendable {
    /// The log of the service that the current task belongs to.
    @TaskLocal private static var current: MemoryLog?
    private static let all = MemoryLog()
    private static let began: Void = LoggingSystem.bootstrap { _ in Handler() }

    private let lines = Mutex<[String]>([])

    /// Begins the log. Loggers that exist already write elsewhere.
    static func begin() { began }

    /// The lines of all services that contain a text.
    static func lines(with text: String) -> [String] { all.lines.withLock { $0.filter { $0.contains(text) } } }

    /// The lines of one service.
    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    /// Runs work whose tasks belong to this log.
    func whileActive<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await Self.$current.withValue(self) { try await work() }
    }

    private func append(_ line: String) { lines.withLock { $0.append(line) } }

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
            for log in [MemoryLog.all, MemoryLog.current] { log?.append(line) }
        }
    }
}
#endif
