// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

/// Each test runs in a separate process, under GStreamer's `leaks` tracer, which must find no live object.
@Suite("Leaks of GStreamer objects", .timeLimit(.minutes(5)))
struct LeakTests {
    @Test("Parsed descriptions leak no object, valid or not")
    func parsing() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.parsing) }
    }

    @Test("A pipeline built from elements leaks no object")
    func building() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.building) }
    }

    @Test("Properties, caps and structures leak no object")
    func properties() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.properties) }
    }

    @Test("Signals and their handlers leak no object")
    func signals() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.signals) }
    }

    @Test("Handlers that hold readers of their pipeline leak no object")
    func handlersWithReaders() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.handlersWithReaders) }
    }

    @Test("Probes leak no object")
    func probes() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.probes) }
    }

    @Test("Mapped frames leak no object")
    func frames() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.frames) }
    }

    @Test("Samples of an appsink leak no object")
    func samples() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.samples) }
    }

    @Test("Buffers pushed into an appsrc leak no object")
    func pushing() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.pushing) }
    }

    @Test("Bridges between pipelines leak no object")
    func bridging() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.bridging) }
    }

    @Test("Messages of a bus leak no object")
    func bus() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.bus) }
    }

    @Test("Pipelines that fail leak no object")
    func failing() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.failing) }
    }

    @Test("Pipelines released while they play leak no object")
    func releasing() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.releasing) }
    }

    @Test("A device monitor leaks no object")
    func devices() async {
        await #expect(processExitsWith: .success) { try await Self.expectNoLeak(LeakScenarios.devices) }
    }

    @Test("The leaks tracer finds a leaked element and leaked caps")
    func deliberate() async {
        await #expect(processExitsWith: .success) {
            try LeaksTracer.install()
            try LeakScenarios.leakElementAndCaps()
            let leaks = try LeaksTracer.leaks(within: .zero)
            #expect(leaks.contains { $0.contains("GstFakeSink") }, "\(leaks)")
            #expect(leaks.contains { $0.contains("GstCaps") && $0.contains("x/leaked") }, "\(leaks)")
        }
    }

    /// Runs a scenario in this process, and records an issue for each object that stays alive.
    private static func expectNoLeak(_ scenario: () async throws -> Void) async throws {
        try LeaksTracer.install()
        try await scenario()
        for leak in try LeaksTracer.leaks() { Issue.record("\(leak)") }
    }
}
