// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Pads", .criticalsAreFatal, .timeLimit(.minutes(5)))
struct PadTests {
    @Test("A pad has a direction, an element, a peer and possible caps")
    func facts() throws {
        let pipeline = try Pipeline("videotestsrc name=source ! video/x-raw,format=I420 ! fakesink name=sink")
        let pad = try #require(try pipeline.element(named: "source").pad("src"))
        #expect(pad.direction == .source)
        #expect(try pad.element == pipeline.element(named: "source"))
        #expect(pad.peer?.direction == .sink)
        #expect(pad.peer?.peer == pad)
        #expect(pad.currentCaps == nil)
        #expect(pad.queryCaps().intersects(try Caps("video/x-raw,format=NV12")))
        #expect(try pipeline.element(named: "source").pad("sink") == nil)
    }

    @Test("The allowed caps of a linked pad are those that both ends support; a pad without a link has none")
    func allowedCaps() throws {
        let pipeline = try Pipeline("videotestsrc name=source ! video/x-raw,format=I420 ! fakesink name=sink")
        let pad = try #require(try pipeline.element(named: "source").pad("src"))
        let allowed = try #require(pad.allowedCaps)
        #expect(allowed.intersects(try Caps("video/x-raw,format=I420")))
        #expect(!allowed.intersects(try Caps("video/x-raw,format=NV12")))
        #expect(try Element.make("videotestsrc").pad("src")?.allowedCaps == nil)
    }

    @Test("Queried caps can be limited by a filter")
    func queriedCaps() throws {
        let pad = try #require(try Element.make("videotestsrc").pad("src"))
        let queried = try pad.queryCaps(filter: Caps("video/x-raw,format=NV12"))
        #expect(queried.intersects(try Caps("video/x-raw,format=NV12")))
        #expect(!queried.intersects(try Caps("video/x-raw,format=I420")))
    }

    @Test("A pad has its current caps while the stream flows")
    func currentCaps() async throws {
        let description = "videotestsrc ! video/x-raw,width=48,height=32 ! appsink name=sink"
        try await playing(description) { pipeline in
            let sink = try AppSink(named: "sink", in: pipeline, .keepNewest())
            _ = try await sink.nextSample()
            let caps = try #require(sink.element.pad("sink")?.currentCaps)
            #expect(caps.isFixed)
            #expect(caps.videoInfo?.width == 48)
            #expect(caps.videoInfo?.height == 32)
        }
    }

    @Test("An impossible link throws with GStreamer's reason")
    func linkErrors() throws {
        let (video, audio) = try (Element.make("videotestsrc"), Element.make("audioconvert"))
        let (source, sink) = try (#require(video.pad("src")), #require(audio.pad("sink")))
        let formats = try #require(failure { try source.link(to: sink) })
        #expect(formats.code == .link)
        #expect(formats.message.contains("no common format"), "\(formats)")
        #expect(failure { try sink.link(to: source) }?.message.contains("wrong direction") == true)
        let free = try #require(Element.make("fakesink").pad("sink"))
        try source.link(to: free)
        #expect(failure { try source.link(to: free) }?.message.contains("was linked") == true)
        source.unlink(from: free)
        #expect(source.peer == nil)
    }
}
