// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Handlers of a bus, windows, contexts and tags` {
    private let pipeline: Pipeline
    private let source: Element

    init() throws {
        pipeline = try Pipeline("fakesrc name=source ! fakesink name=sink")
        source = try pipeline.element(named: "source")
    }

    @Test func `A bus handler runs before the post of a message returns, and listeners get the message`() async throws {
        let requests = Log<Object?>()
        let messages = pipeline.bus.messages()
        pipeline.bus.handleSynchronously { message, source in if message.isWindowRequest { requests.append(source) } }
        source.post("prepare-window-handle")
        #expect(requests.items == [source])
        #expect(requests.items.first is Element)
        source.post("something-else")
        #expect(requests.items.count == 1)
        try await pipeline.stop()
        var isListed = false
        for await message in messages where message.isWindowRequest { isListed = true }
        #expect(isListed)
    }

    @Test func `An element that draws into a window accepts one, and other elements throw`() throws {
        let player = try Element.make("playbin")
        #expect(player.drawsIntoWindows)
        try player.setWindowHandle(0)
        try player.setRenderRectangle(CropRectangle(x: 1, y: 2, width: 3, height: 4))
        try player.setRenderRectangle(CropRectangle(x: 1, y: 2, width: 0, height: -4))
        try player.setRenderRectangle(nil)
        try player.setHandlesInput(false)
        try player.exposeWindow()
        let huge = CropRectangle(x: .max, y: 0, width: 1, height: 1)
        #expect(failure { try player.setRenderRectangle(huge) }?.code == .propertyRange)
        let sink = try Element.make("fakesink")
        #expect(!sink.drawsIntoWindows)
        #expect(failure { try sink.setWindowHandle(1) }?.code == .notFound)
        #expect(failure { try sink.setRenderRectangle(nil) }?.code == .notFound)
        #expect(failure { try sink.setHandlesInput(true) }?.code == .notFound)
        #expect(failure { try sink.exposeWindow() }?.code == .notFound)
    }

    @Test func `A bus handler can set the context that an element requests`() throws {
        pipeline.bus.handleSynchronously { message, source in
            guard case .needContext(let type) = message.content, let element = source as? Element else { return }
            if let context = try? ElementContext(type, ["number": .int(7)]) { element.setContext(context) }
        }
        source.post { gst_message_new_need_context($0, "test.context") }
        let context = try #require(source.context("test.context"))
        #expect(context.type == "test.context")
        #expect(context.structure["number"] == 7)
        #expect(context.isPersistent)
        #expect(source.context("test.other") == nil)
        #expect(source.context("test.context\0") == nil)
    }

    @Test(arguments: ["", "\0", "a\0b"])
    func `An invalid type of a context throws`(type: String) {
        #expect(failure { try ElementContext(type) }?.code == .syntax)
    }

    @Test func `A context with a field that cannot be written throws`() {
        #expect(failure { try ElementContext("test", ["": .int(1)]) }?.code == .syntax)
        #expect(failure { try ElementContext("test", ["text": .string("a\0b")]) }?.code == .syntax)
    }

    @Test func `A removed bus handler does not run again and is released, and can be removed again`() throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        let handler = handle(calls, Token(released: released))
        source.post("first")
        handler.remove()
        handler.remove()
        source.post("second")
        #expect(calls.items.count == 1)
        #expect(released.items.count == 1)
    }

    @Test func `A bus handler can remove itself, and add another handler`() throws {
        let (calls, later) = (Log<Void>(), Log<Void>())
        let handlers = Log<BusHandler>()
        handlers.append(
            pipeline.bus.handleSynchronously { [bus = pipeline.bus] _, _ in
                calls.append()
                handlers.items.first?.remove()
                bus.handleSynchronously { _, _ in later.append() }
            })
        source.post("first")
        source.post("second")
        #expect(calls.items.count == 1)
        #expect(later.items.count == 1)
    }

    @Test func `The stop of the pipeline releases its handlers, and a later handler does not run`() async throws {
        let (calls, released) = (Log<Void>(), Log<Void>())
        let first = handle(calls, Token(released: released))
        try await pipeline.stop()
        #expect(released.items.count == 1)
        let late = handle(calls, Token(released: released))
        let before = calls.items.count
        source.post("late")
        #expect(calls.items.count == before)
        first.remove()
        late.remove()
    }

    private func handle(_ calls: Log<Void>, _ token: Token) -> BusHandler {
        pipeline.bus.handleSynchronously { _, _ in
            token.touch()
            calls.append()
        }
    }

    /// The tags of a message with a list in GStreamer's notation.
    private func tags(_ text: String, isGlobal: Bool = false) async throws -> TagList {
        let messages = pipeline.bus.messages()
        let list = try #require(gst_tag_list_new_from_string(text))
        if isGlobal { gst_tag_list_set_scope(list, GST_TAG_SCOPE_GLOBAL) }
        source.post { gst_message_new_tag($0, list) }
        for await message in messages { if case .tags(let tags) = message.content { return tags } }
        throw PipelineError(.notFound, "no tags")
    }

    @Test func `A tag message has the values and the scope of its tags`() async throws {
        let tags = try await tags("taglist, title=(string)\"two words\", bitrate=(uint)5, artist=(string){ a, b }")
        #expect(tags.scope == .stream)
        #expect(tags["title"] == "two words")
        #expect(tags["bitrate"] == 5)
        #expect(tags.values["artist"] == [.string("a"), .string("b")])
        #expect(tags["artist"] == "a")
        #expect(tags["bitrate", as: String.self] == nil)
        #expect(tags["album", as: String.self] == nil)
        #expect(
            try await self.tags("taglist, title=(string)x", isGlobal: true)
                == TagList(["title": [.string("x")]], scope: .global))
    }

    @Test func `A list of tags can be empty, and can have values of other types`() async throws {
        #expect(try await tags("taglist") == TagList([:]))
        let date = try await tags("taglist, datetime=(datetime)2020-01-02").values["datetime"]
        guard case .other(_, let text) = try #require(date?.first) else {
            Issue.record("\(String(describing: date))")
            return
        }
        #expect(text.contains("2020-01-02"))
    }
}
