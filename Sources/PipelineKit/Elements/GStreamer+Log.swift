// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

/// The importance of a line in GStreamer's log (`GstDebugLevel`). A higher level means more lines.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// An error that stops an element.
    case error = 1
    /// Something is wrong, but the element continues.
    case warning = 2
    /// A known gap in GStreamer's code.
    case fixme = 3
    /// A rare event of interest.
    case info = 4
    /// A common event of interest.
    case debug = 5
    /// An event that occurs with each buffer.
    case log = 6
    /// A change of a count of references, or another detail.
    case trace = 7
    /// The content of memory.
    case memdump = 9

    /// `true` if `left` is more important.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// A line of GStreamer's log, as Swift data.
public struct LogEntry: Sendable, Hashable {
    /// The importance.
    public let level: LogLevel
    /// The part of GStreamer, such as `v4l2src` or `GST_STATES`.
    public let category: String
    /// The message, without a line break at the end.
    public let message: String
    /// GStreamer's name for the object, such as that of an element; `nil` if there is none
    /// (`gst_debug_message_get_id`).
    public let object: String?
    /// The source file that logged the message.
    public let file: String
    /// The C function that logged the message.
    public let function: String
    /// The line in the source file.
    public let line: Int
}

extension GStreamer {
    /// Calls `body` with each line of GStreamer's log (`gst_debug_add_log_function`).
    ///
    /// GStreamer logs nothing unless ``setLogLevel(_:of:)`` or the variable `GST_DEBUG` asks for it.
    ///
    /// `body` runs on the thread that logs, often a streaming thread that holds locks of GStreamer, and several threads
    /// may call it at once. It must not wait, call GStreamer, or release a handle of this library: that would lock
    /// again, or log again. The library keeps it until ``LogHandler/remove()``; releasing the returned handle does not
    /// remove it.
    ///
    /// - Parameter level: The least important level that `body` receives.
    /// - Throws: ``PipelineError/Code/initialization``.
    @discardableResult
    public static func handleLog(
        upTo level: LogLevel = .memdump, _ body: @escaping @Sendable (LogEntry) -> Void
    ) throws(PipelineError) -> LogHandler {
        try initialize()
        return LogHandler(LogBridge.add(level, body))
    }

    /// Sets the least important level that GStreamer logs, for the whole process (`gst_debug_set_threshold_for_name`).
    ///
    /// - Parameters:
    ///   - level: The level; `nil` to log nothing. Levels from ``LogLevel/log`` on slow the pipelines down.
    ///   - categories: The categories, with `*` and `?` as wildcards, such as `v4l2*`; `nil` for all that have no level
    ///     (`gst_debug_set_default_threshold`).
    /// - Throws: ``PipelineError/Code/initialization``; ``PipelineError/Code/syntax`` if `categories` is empty or
    ///   contains a NUL character.
    public static func setLogLevel(_ level: LogLevel?, of categories: String? = nil) throws(PipelineError) {
        try initialize()
        let threshold = GstDebugLevel(rawValue: .init(level?.rawValue ?? 0))
        guard let categories else { return gst_debug_set_default_threshold(threshold) }
        guard !categories.isEmpty, !categories.utf8.contains(0) else {
            throw PipelineError(.syntax, "not a pattern for categories of the log: \"\(categories)\"")
        }
        gst_debug_set_threshold_for_name(categories, threshold)
    }

    /// Ends the log on standard error, or in the file of `GST_DEBUG_FILE` (`gst_debug_remove_log_function`). Handlers
    /// still receive it.
    ///
    /// Call this before the first pipeline plays: GStreamer does not protect its list of log functions from threads
    /// that log at this moment.
    ///
    /// - Throws: ``PipelineError/Code/initialization``.
    public static func endPrintedLog() throws(PipelineError) {
        try initialize()
        gst_debug_remove_log_function(nil)
    }
}

/// A handler of GStreamer's log; see ``GStreamer/handleLog(upTo:_:)``.
public final class LogHandler: Sendable {
    private let number: Int

    fileprivate init(_ number: Int) { self.number = number }

    /// Removes the handler, and releases its closure. A run in progress on another thread may end after this returns. A
    /// second call has no effect.
    public func remove() { LogBridge.remove(number) }
}

/// The handlers of the process. GStreamer calls one C function, which passes each line on to them.
private enum LogBridge {
    typealias Body = @Sendable (LogEntry) -> Void

    private struct Handler {
        let number: Int
        let level: LogLevel
        let body: Body
    }

    private struct State {
        var handlers: [Handler] = []
        var count = 0
    }

    private static let state = Mutex(State())

    /// Adds the C function once, and never removes it: GStreamer would free it while other threads call it.
    private static let install: Void = { gst_debug_add_log_function(passLine, nil, nil) }()

    static func add(_ level: LogLevel, _ body: @escaping Body) -> Int {
        let number = state.withLock { state in
            state.count += 1
            state.handlers.append(Handler(number: state.count, level: level, body: body))
            return state.count
        }
        install
        return number
    }

    static func remove(_ number: Int) {
        // Released outside of the lock: an object that the closure holds may log when it ends.
        let old = state.withLock { state in
            defer { state.handlers.removeAll { $0.number == number } }
            return state.handlers
        }
        withExtendedLifetime(old) {}
    }

    static func pass(_ level: LogLevel, _ entry: () -> LogEntry) {
        let handlers = state.withLock { state in state.handlers.filter { level <= $0.level } }
        guard !handlers.isEmpty else { return }
        let entry = entry()
        // Outside of the lock: a handler may remove itself.
        for handler in handlers { handler.body(entry) }
    }
}

// A free function: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func passLine(
    _ category: UnsafeMutablePointer<GstDebugCategory>?, _ level: GstDebugLevel, _ file: UnsafePointer<gchar>?,
    _ function: UnsafePointer<gchar>?, _ line: gint, _ object: UnsafeMutablePointer<GObject>?,
    _ message: OpaquePointer?, _ data: gpointer?
) {
    guard let level = LogLevel(rawValue: Int(level.rawValue)) else { return }
    func text(_ pointer: UnsafePointer<gchar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    LogBridge.pass(level) {
        // The names come from fields: functions of the object would lock it, and its thread may hold the lock.
        LogEntry(
            level: level, category: text(gst_debug_category_get_name(category)),
            message: text(gst_debug_message_get(message)),
            object: gst_debug_message_get_id(message).map { String(cString: $0) }, file: text(file),
            function: text(function), line: Int(line))
    }
}
