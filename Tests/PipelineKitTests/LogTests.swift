// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit
import Testing

/// Each test logs in a separate category: the log belongs to the whole process, where other tests run.
@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `The log and the graph` {
    /// Creates a category that logs up to a level, and logs a line in it as an element would (`gst_debug_log_literal`).
    private struct Category {
        private let category: UnsafeMutablePointer<GstDebugCategory>?

        init(_ name: String, upTo level: LogLevel?) throws {
            try GStreamer.setLogLevel(level, of: "\(name)*")
            category = _gst_debug_category_new("\(name)-category", 0, nil)
        }

        func log(_ text: String, _ level: GstDebugLevel, _ object: Object? = nil) {
            let object = object?.pointer.assumingMemoryBound(to: GObject.self)
            gst_debug_log_literal(category, level, "file.c", "function", 12, object, text)
        }
    }

    private func entries(_ name: String, upTo level: LogLevel = .memdump) throws -> (log: Log<LogEntry>, LogHandler) {
        let log = Log<LogEntry>()
        let handler = try GStreamer.handleLog(upTo: level) { if $0.category == "\(name)-category" { log.append($0) } }
        return (log, handler)
    }

    @Test func `A log handler gets each line with its level, category, place and object`() throws {
        let (log, handler) = try entries("kit-lines")
        defer { handler.remove() }
        let category = try Category("kit-lines", upTo: .debug)
        category.log("something is wrong", GST_LEVEL_WARNING, try Element.make("fakesink", name: "logger"))
        category.log("a detail", GST_LEVEL_DEBUG)
        category.log("more than asked for", GST_LEVEL_LOG)
        #expect(log.items.map(\.message) == ["something is wrong", "a detail"])
        #expect(log.items.map(\.level) == [.warning, .debug])
        let line = try #require(log.items.first)
        #expect(line.file == "file.c")
        #expect(line.function == "function")
        #expect(line.line == 12)
        #expect(line.object?.contains("logger") == true)
        #expect(log.items.last?.object == nil)
    }

    @Test func `Each log handler gets the lines up to its level`() throws {
        let (all, first) = try entries("kit-levels")
        let (errors, second) = try entries("kit-levels", upTo: .error)
        defer { for handler in [first, second] { handler.remove() } }
        let category = try Category("kit-levels", upTo: .memdump)
        for level in LogLevel.allCases { category.log("\(level)", GstDebugLevel(rawValue: .init(level.rawValue))) }
        #expect(all.items.map(\.level) == LogLevel.allCases)
        #expect(errors.items.map(\.level) == [.error])
    }

    @Test func `A removed log handler gets nothing and is released, and can be removed again`() async throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        let handler = try handle("kit-removed", calls, Token(released: released))
        let category = try Category("kit-removed", upTo: .error)
        category.log("first", GST_LEVEL_ERROR)
        handler.remove()
        handler.remove()
        category.log("second", GST_LEVEL_ERROR)
        #expect(calls.items.count == 1)
        await released.first(1)
    }

    private func handle(_ name: String, _ calls: Log<Void>, _ token: Token) throws -> LogHandler {
        try GStreamer.handleLog {
            token.touch()
            if $0.category == "\(name)-category" { calls.append() }
        }
    }

    @Test func `A log category without a level logs nothing`() throws {
        let (log, handler) = try entries("kit-silent")
        defer { handler.remove() }
        let category = try Category("kit-silent", upTo: nil)
        category.log("an error", GST_LEVEL_ERROR)
        #expect(log.items.isEmpty)
    }

    @Test func `A log message that is not valid text is repaired, and an empty one stays empty`() throws {
        let (log, handler) = try entries("kit-text")
        defer { handler.remove() }
        let category = try Category("kit-text", upTo: .error)
        category.log("", GST_LEVEL_ERROR)
        let bytes: [CChar] = [0x61, -1, 0x62, 0]
        bytes.withUnsafeBufferPointer { text in
            gst_debug_log_literal(
                _gst_debug_get_category("kit-text-category"), GST_LEVEL_ERROR, "file.c", "function", 1, nil,
                text.baseAddress)
        }
        #expect(log.items.map(\.message) == ["", "a\u{FFFD}b"])
    }

    @Test(arguments: ["", "a\0b"])
    func `An invalid pattern of log categories throws`(categories: String) {
        #expect(failure { try GStreamer.setLogLevel(.error, of: categories) }?.code == .syntax)
    }

    @Test func `The graph of a pipeline names its elements and their properties`() throws {
        let pipeline = try Pipeline("fakesrc name=origin num-buffers=7 ! fakesink name=drain")
        let graph = pipeline.graph()
        #expect(graph.hasPrefix("digraph"))
        for text in ["origin", "drain", "GstFakeSink", "num-buffers=7"] { #expect(graph.contains(text), "\(text)") }
        #expect(!pipeline.graph([]).contains("num-buffers=7"))
    }
}
