// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit
import Testing

@Suite(.criticalsAreFatal, .timeLimit(.minutes(5)))
struct `Navigation events` {
    /// Sends events upstream from the sink of a stream. Returns those that a probe on the source pad of an `identity`
    /// saw, and those that reached the sink pad of the `identity`.
    private func seen(
        sending events: [UnsafeMutablePointer<GstEvent>?], travel: PadEvent.Travel = .upstream,
        verdict: ProbeVerdict = .pass
    ) async throws -> (probe: [NavigationEvent], source: [NavigationEvent]) {
        let pipeline = try Pipeline("fakesrc num-buffers=1 ! identity name=i ! fakesink name=sink async=false")
        let (atProbe, atSource) = (Log<NavigationEvent>(), Log<NavigationEvent>())
        try pipeline.element(named: "i").pad("src")?.probeEvents(travel) { event in
            guard case .navigation(let act) = event else { return .pass }
            atProbe.append(act)
            return verdict
        }
        try pipeline.element(named: "i").pad("sink")?.probeEvents(.upstream) { event in
            if case .navigation(let act) = event { atSource.append(act) }
            return .pass
        }
        let arrived = Log<Void>()
        try pipeline.sinkPad("sink").probeBuffers { _ in
            arrived.append()
            return .pass
        }
        try await playing(pipeline) { pipeline in
            await arrived.first(1)
            let sink = try pipeline.sinkPad("sink").pointer.assumingMemoryBound(to: GstPad.self)
            for event in events { gst_pad_push_event(sink, event) }
        }
        return (atProbe.items, atSource.items)
    }

    @Test func `A probe sees events of keys and the mouse that travel upstream`() async throws {
        let seen = try await seen(sending: [
            gst_navigation_event_new_key_press("space", GST_NAVIGATION_MODIFIER_NONE),
            gst_navigation_event_new_key_release("space", GST_NAVIGATION_MODIFIER_NONE),
            gst_navigation_event_new_mouse_button_press(1, 3, 4.5, GST_NAVIGATION_MODIFIER_NONE),
            gst_navigation_event_new_mouse_button_release(2, 5, 6, GST_NAVIGATION_MODIFIER_NONE),
            gst_navigation_event_new_mouse_move(7, 8, GST_NAVIGATION_MODIFIER_NONE),
            gst_navigation_event_new_touch_down(1, 9, 10, 0.5, GST_NAVIGATION_MODIFIER_NONE),
        ])
        let expected: [NavigationEvent] = [
            .keyPress("space"), .keyRelease("space"), .buttonPress(1, x: 3, y: 4.5), .buttonRelease(2, x: 5, y: 6),
            .move(x: 7, y: 8), .touchDown(x: 9, y: 10),
        ]
        #expect(seen.probe == expected)
        #expect(seen.source == expected)
    }

    @Test func `A navigation event that a probe drops does not reach the source`() async throws {
        let event = gst_navigation_event_new_key_press("q", GST_NAVIGATION_MODIFIER_NONE)
        let seen = try await seen(sending: [event], verdict: .drop)
        #expect(seen.probe == [.keyPress("q")])
        #expect(seen.source.isEmpty)
    }

    @Test func `A probe of downstream events sees no navigation event`() async throws {
        let event = gst_navigation_event_new_key_press("q", GST_NAVIGATION_MODIFIER_NONE)
        #expect(try await seen(sending: [event], travel: .downstream).probe.isEmpty)
    }

    @Test(
        arguments: [
            "application/x-gst-navigation", "application/x-gst-navigation, event=(string)key-press",
            "application/x-gst-navigation, event=(int)3", "application/x-gst-navigation, event=(string)nonsense",
            "application/x-gst-navigation, event=(string)mouse-button-press, button=(string)left", "something-else",
        ])
    func `A damaged navigation event is skipped, or reported as another kind`(text: String) async throws {
        let event = gst_event_new_navigation(gst_structure_from_string(text, nil))
        let seen = try await seen(sending: [event])
        #expect(seen.probe.allSatisfy { if case .other = $0 { true } else { false } })
    }

    @Test func `A navigation event of an unknown kind is reported with its number`() async throws {
        let event = gst_navigation_event_new_touch_up(1, 2, 3, GST_NAVIGATION_MODIFIER_NONE)
        let seen = try await seen(sending: [event])
        #expect(seen.probe == [.other(Int(GST_NAVIGATION_EVENT_TOUCH_UP.rawValue))])
    }
}
