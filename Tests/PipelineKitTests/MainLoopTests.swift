// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Testing

@testable import PipelineKit

@Suite struct `GLib's main loop` {
    /// Waits for a call on the main loop, and returns `true` if its thread owns the loop.
    private func runsOnLoop() async -> Bool {
        await withCheckedContinuation { continuation in
            let reply = Unmanaged.passRetained(Reply(continuation))
            g_main_context_invoke(
                nil,
                { reply in
                    let isOwner = g_main_context_is_owner(nil) != 0
                    if let reply { Unmanaged<Reply>.fromOpaque(reply).takeRetainedValue().resume(isOwner) }
                    return 0
                }, reply.toOpaque())
        }
    }

    private final class Reply: Sendable {
        private let continuation: CheckedContinuation<Bool, Never>

        init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

        func resume(_ result: Bool) { continuation.resume(returning: result) }
    }

    @Test func `Many tasks can start the loop, and calls for it run on its thread`() async {
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await MainLoop.start() } }
        }
        // Otherwise a call would run on the thread of its caller, which could own the context only during the call.
        #expect(g_main_context_acquire(nil) == 0)
        #expect(await runsOnLoop())
    }

    @Test func `A window is not changed if a sink has none of GTK`() throws {
        let sink = try Element.make("fakesink")
        sink.setGTKWindow(["title": .string("nothing")])
        #expect(sink.typeName == "GstFakeSink")
    }
}
