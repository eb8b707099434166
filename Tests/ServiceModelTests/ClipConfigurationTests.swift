// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipKit
import PresetKit
import StillKit
import Testing

@testable import ServiceModel

@Suite("Configuration of clips")
struct ClipConfigurationTests {
    private func read(_ text: String) throws -> ServiceConfiguration {
        try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
    }

    private static func clips(_ keys: String) -> String { "cameras:\n  door:\n    clips: { \(keys) }\n" }

    @Test("Clips have their own files and limits, and take the rest from their camera")
    func whole() throws {
        let configuration = try read(
            """
            cameras:
              door:
                camera: scene
                rotate: 90
                output: /srv/door/%n.jpg
                max-count: 5
                interval: 1m
                clips:
                  output: /srv/door/clips/%Y-%m-%d/%H%M%S.mp4
                  video-size: 1280x720
                  segment: 10m
                  max-age: 14d
                  keep-free: 1GB
            """)
        let clips = try #require(configuration.cameras[0].clips)
        #expect(clips.names.description == "/srv/door/clips/%Y-%m-%d/%H%M%S.mp4" && !clips.isTriggered)
        let limits = clips.policy.limits
        #expect(limits.maxAge == .seconds(14 * 86_400) && limits.maxCount == nil && limits.policy == .prune)
        let made = try clips.configuration(.scene, for: .seconds(5))
        #expect(made.plan.segment == .seconds(600) && made.plan.length == .seconds(5) && made.plan.continues)
        #expect(made.video.width == 1280 && made.camera.orientation == Orientation(rotation: .clockwise90, flip: .none))
        #expect(clips.account.hasPrefix("/srv/door/clips/.gst-capture/") && clips.account.hasSuffix(".clips"))
        #expect(configuration.summary.contains("  clips: to /srv/door/clips/%Y-%m-%d/%H%M%S.mp4"))
    }

    @Test("Without limits, 5 % of the disk stay free, as any client can start a recording")
    func standard() throws {
        let clips = try #require(try read(Self.clips("output: /srv/%n.mp4")).cameras[0].clips)
        #expect(clips.policy.limits.keepFree == .share(0.05) && clips.policy.limits.policy == .prune)
    }

    @Test(
        "Limits that depend on the outbox need one that sends the clips",
        arguments: ["keep-unsent: yes", "max-age-sent: 7d"])
    func sent(_ key: String) throws {
        let configuration = try read(Self.clips("output: /srv/door/%n.mp4, \(key)"))
        let error = #expect(throws: CaptureError.self) { try configuration.checkOutbox(nil) }
        #expect(error?.description.hasPrefix("clips of door: ") == true)
        #expect(error?.description.contains("needs the outbox of the service") == true)
        let clips = try #require(configuration.cameras[0].clips)
        let limits = clips.policy.limits
        #expect(limits.keepsUnsent || limits.maxAgeSent == .seconds(7 * 86_400))
        try configuration.checkOutbox { request throws(CaptureError) in
            #expect(request.isOfClips && request.ledger == clips.account && request.folder == "/srv/door")
            #expect(key.hasPrefix(request.setting) && request.needsProof == (limits.maxAgeSent != nil))
            return nil
        }
    }

    @Test("A switched camera records the same clips")
    func switched() throws {
        var configuration = try read(Self.clips("output: /srv/%n.mp4"))
        configuration.use(.scene, as: "door")
        #expect(configuration.cameras[0].clips?.settings.camera == "scene")
        #expect(configuration.cameras[0].clips?.names.description == "/srv/%n.mp4")
    }

    @Test("A change of the schedule keeps the desk of a camera, and a change of its clips does not")
    func desk() throws {
        let text = "cameras:\n  door:\n    interval: 1m\n    clips: { output: /srv/%n.mp4 }\n"
        let camera = try read(text).cameras[0]
        #expect(camera.isSameDesk(as: try read(text.replacing("1m", with: "2m")).cameras[0]))
        #expect(!camera.isSameDesk(as: try read(text.replacing("/srv", with: "/var")).cameras[0]))
    }

    @Test(
        "A mistake is one line with its place, its key and a remedy",
        arguments: [
            (
                "cameras:\n  door:\n    clips: 5\n",
                "serve.yaml:3:12: clips: is not a section; write key: value below it"
            ),
            (
                clips("segment: 10m"),
                "serve.yaml:3:5: output: is missing; give file names such as /srv/door/clips/%Y-%m-%d/%H%M%S.mp4"
            ),
            (
                clips("output: clips/%n.mp4"),
                "serve.yaml:3:14: output: \"clips/%n.mp4\" is not absolute; begin it with /: a service has no working folder"
            ),
            (
                clips("output: /srv/%n.jpg"),
                "serve.yaml:3:14: output: /srv/%n.jpg is not the name of an MP4 file; end it in .mp4"
            ),
            (
                clips("output: /srv/clip.mp4"),
                "serve.yaml:3:14: output: gives all files the same name; put %n or a time such as %H%M%S into the name"
            ),
            (
                clips("output: /srv/%n.mp4, width: 640"),
                "serve.yaml:3:35: width: belongs to the camera, which all its jobs share; move it to the camera"
            ),
            (
                clips("output: /srv/%n.mp4, interval: 1m"),
                "serve.yaml:3:35: interval: is not a key of clips; remove it"
            ),
            (
                clips("output: /srv/%n.mp4, outbox: /a.yaml"),
                "serve.yaml:3:35: outbox: is not a key of clips; remove it"
            ),
            (
                clips("output: /srv/%n.mp4, segmnt: 1m"),
                "serve.yaml:3:35: unknown key \"segmnt\"; did you mean \"segment\"?"
            ),
            (
                clips("output: /srv/%n.mp4, pre: 5s"),
                "serve.yaml:3:35: pre: needs trigger; add trigger, or leave it out"
            ),
            (
                clips("output: /srv/%n.mp4, trigger: yes, for: 5s"),
                "serve.yaml:3:49: for: has no effect with trigger; use post and at-most"
            ),
            (
                clips("output: /srv/%n.mp4, on-limit: \"thin:2\""),
                "serve.yaml:3:35: on-limit: clips are not thinned; use prune or stop"
            ),
            (
                clips("output: /srv/%n.mp4, bitrate: fast"),
                "serve.yaml:3:44: bitrate: "
            ),
            (
                "cameras:\n  a: { clips: { output: /srv/%n.mp4 } }\n  b: { clips: { output: /srv/%n.mp4 } }\n",
                "serve.yaml:3:8: output: \"/srv/%n.mp4\" is also the output of clips of camera a; give each camera its own"
            ),
        ])
    func mistakes(_ text: String, _ line: String) {
        let error = #expect(throws: CaptureError.self) { try read(text) }
        #expect(error?.description.hasPrefix(line) == true, "\(error?.description ?? "")")
    }
}
