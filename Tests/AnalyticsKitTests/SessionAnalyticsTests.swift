// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import SessionKit
import Testing

@testable import AnalyticsKit

@Suite("Product events of a session")
struct SessionAnalyticsTests {
    /// Records events a second apart, and returns the product events as `type members`.
    private static func record(_ events: [SessionEvent]) -> [String] {
        var session = SessionDescription(
            name: "portrait", stages: [SessionStage(name: "front"), SessionStage(name: "side")])
        session.tutorial = [TutorialPage("One"), TutorialPage("Two")]
        var analytics = SessionAnalytics(session: "portrait", run: "r", session)
        var now = ClockTime(nanoseconds: 1_000_000_000)
        return events.flatMap { event in
            now = now + .seconds(1)
            return analytics.record(event, at: now, WallTime(seconds: 0, nanoseconds: 0)).map { event in
                let members = event.data.dropFirst(2).map { "\($0.name)=\($0.value.text)" }
                return ([event.type] + members).joined(separator: " ")
            }
        }
    }

    private static func still(_ stage: String) -> SessionStill {
        SessionStill(
            number: 1, stage: stage,
            file: SessionFileRecord(name: "secret.jpg", byteCount: 1, sha256: "", width: 1, height: 1))
    }

    @Test("A tutorial that is left before its last page is skipped")
    func skippedTutorial() {
        let events = Self.record([
            .phase(SessionPhase(.tutorial, page: 0)), .phase(SessionPhase(.armed, stage: 0)),
        ])
        #expect(
            events == [
                "session.opened stages=2", "tutorial.started pages=2", "tutorial.skipped pages_seen=1",
            ])
    }

    @Test("A tutorial whose last page was seen is completed")
    func completedTutorial() {
        let events = Self.record([
            .phase(SessionPhase(.tutorial, page: 0)), .phase(SessionPhase(.tutorial, page: 1)),
            .phase(SessionPhase(.armed, stage: 0)),
        ])
        #expect(events.last == "tutorial.completed pages_seen=2")
    }

    @Test("A stage has its countdown, picture and duration; the next picture of it is a retake")
    func stage() {
        let session = SessionDescription(name: "a", stages: [])
        let events = Self.record([
            .phase(SessionPhase(.ready)), .stage(0, SessionStage(name: "front")),
            .phase(SessionPhase(.counting, stage: 0)), .captured(Self.still("front"), folder: "/home/anna/a"),
            .stageDone(0), .phase(SessionPhase(.review)), .captured(Self.still("front"), folder: nil),
        ])
        #expect(
            events == [
                "session.opened stages=2", #"stage.started stage="front" number=1"#,
                #"countdown.started stage="front""#, #"picture.captured stage="front" origin="camera""#,
                #"stage.completed stage="front" duration_ms=3000"#, "review.started duration_ms=5000",
                #"picture.retaken stage="front" origin="camera""#,
            ])
        #expect(session.stages.isEmpty)
    }

    @Test("No event has the name of a file, a folder or a camera")
    func privacy() {
        let events = Self.record([
            .opening(camera: "usb-secret", .front, pipeline: "v4l2src"), .camera("usb-secret", .front),
            .captured(Self.still("front"), folder: "/home/anna/secret"), .key("s"), .press,
            .removed(numbers: [1], files: ["secret.jpg"]), .notice(Notice(.information, "secret")),
            .lost(CaptureError(.noCamera, "is secret", subject: "/dev/secret"), .front),
            .failed(stage: 1, CaptureError(.inputOutput, "secret")),
        ])
        #expect(
            events == [
                #"picture.captured stage="front" origin="camera""#, #"camera.lost code="no-camera""#,
                #"picture.failed stage="side" code="input-output""#,
            ])
    }
}
