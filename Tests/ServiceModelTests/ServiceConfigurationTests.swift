// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import SessionKit
import Testing

@testable import ServiceModel

@Suite("Service configuration")
struct ServiceConfigurationTests {
    @Test("A file names addresses, cameras and series, whose settings are merged over those of their camera")
    func whole() throws {
        let configuration = try read(
            """
            listen: [127.0.0.1:8080, "unix:/run/serve.sock"]
            cameras:
              garden:
                camera: scene
                width: 640
                quality: 70
                series:
                  minute: { interval: 1m, output: "/srv/garden/%Y/%H%M%S.jpg" }
                  hourly:
                    interval: 1h
                    quality: 95
                    output: /srv/garden/hourly/%05n.jpg
              desk:
                source: videotestsrc
            """)
        #expect(configuration.addresses == [.standard, .unix(path: "/run/serve.sock")])
        #expect(configuration.cameras.map(\.id) == ["garden", "desk"])
        let garden = configuration.cameras[0]
        #expect(garden.series.map(\.id) == ["minute", "hourly"])
        #expect(garden.series.map(\.settings.quality) == [70, 95])
        #expect(garden.series.map(\.settings.width) == [640, 640])
        #expect(garden.series[0].settings.interval == .seconds(60))
        let lines = configuration.summary.split(separator: "\n")
        #expect(lines.first == "listens at http://127.0.0.1:8080, unix:/run/serve.sock")
        #expect(lines.contains("camera garden: scene"))
        #expect(lines.contains("  series minute: every 1m, to /srv/garden/%Y/%H%M%S.jpg"))
        #expect(lines.last == "camera desk: elements")
    }

    @Test("Without listen, a service listens at port 8080 of this machine")
    func standardAddress() throws {
        #expect(try read("cameras: { garden: { camera: scene } }").addresses == [.standard])
        #expect(try read("cameras:\n  garden:\n").cameras.first?.settings == CaptureSettings())
    }

    @Test("A section takes the settings of its preset, and its own keys win")
    func presets() throws {
        let folder = try TemporaryFolder()
        let preset = try folder.write("small.yaml", "camera: scene\nwidth: 320\nheight: 240\n")
        let daily = try folder.write("daily.yaml", "interval: 1m\ncount: 5\n")
        let configuration = try read(
            """
            cameras:
              garden:
                preset: \(preset)
                width: 640
                series:
                  minute: { preset: \(daily), count: 7, output: /srv/%n.jpg }
            """)
        let camera = configuration.cameras[0]
        #expect(camera.settings.camera == "scene" && camera.settings.width == 640 && camera.settings.height == 240)
        #expect(camera.series[0].settings.interval == .seconds(60) && camera.series[0].settings.count == 7)
    }

    @Test("A series whose last day has passed is still a correct configuration")
    func past() throws {
        let configuration = try read(
            "cameras: { a: { series: { s: { interval: 1m, until: 2020-01-01 10:00, output: /srv/%n.jpg } } } }")
        #expect(configuration.cameras[0].series[0].isPast)
    }

    @Test(
        "A mistake is one line with its place, its key and a remedy",
        arguments: [
            (
                "board: a_b\ncameras: { a: {} }\n",
                "serve.yaml:1:8: board: is not the name of a board; give 1 to 63 letters, digits and dashes"
            ),
            ("camera:\n  a: {}\n", "serve.yaml:1:1: unknown key \"camera\"; did you mean \"cameras\"?"),
            (
                "listen: 127.0.0.1:8080\n",
                "serve.yaml:1:1: cameras: is missing; name a camera, such as garden, under cameras:"
            ),
            ("", "serve.yaml:1:1: cameras: is missing; name a camera, such as garden, under cameras:"),
            ("cameras:\n  a:\n    widht: 5\n", "serve.yaml:3:5: unknown key \"widht\"; did you mean \"width\"?"),
            ("cameras:\n  a:\n    width: x\n", "serve.yaml:3:12: width: \"x\" is not a whole number; give 1 to 16384"),
            (
                "cameras:\n  a:\n    width: 5\n    width: 6\n",
                "serve.yaml:4:5: \"width\" appears twice, first in line 3; remove one"
            ),
            ("cameras:\n  a: {}\n  a: {}\n", "serve.yaml:3:3: \"a\" appears twice, first in line 2; remove one"),
            (
                "cameras:\n  a/b: {}\n",
                "serve.yaml:2:3: \"a/b\" is not an ID; use up to 64 letters, digits, - and _, as it is a part of URLs"
            ),
            ("cameras: garden\n", "serve.yaml:1:10: cameras: is not a section; write key: value below it"),
            (
                "cameras:\n  a:\n    camera: scene\n    source: videotestsrc\n",
                "serve.yaml:4:5: camera and source exclude each other; leave out one of them"
            ),
            (
                "cameras:\n  a:\n    exec-after: ls\n",
                "serve.yaml:3:5: exec-after: is a command, and a service runs none; remove it, and follow the service's events"
            ),
            (
                "cameras:\n  a:\n    front: scene\n",
                "serve.yaml:3:5: front: is a key of sessions; write it below sessions:, or remove it"
            ),
            ("cameras:\n  a:\n    preset: no-such-preset\n", "serve.yaml:3:13: preset: "),
            (
                series("width: 5, output: /srv/%n.jpg"),
                "serve.yaml:4:12: width: belongs to the camera, which all its series share; move it to the camera"
            ),
            (
                series("interval: 1m"),
                "serve.yaml:4:7: output: is missing; give file names such as /srv/garden/%Y/%m/%d/%H%M%S.jpg"
            ),
            (
                series("interval: 1m, output: a%n.jpg"),
                "serve.yaml:4:26: output: \"a%n.jpg\" is not absolute; begin it with /: a service has no working folder"
            ),
            (
                series("interval: 1m, output: \"-\""),
                "serve.yaml:4:26: output: \"-\" is not absolute; begin it with /: a service has no working folder"
            ),
            (series("output: /srv/%n.jpg"), "serve.yaml:4:7: interval: is missing; give a time such as interval 10s"),
            (
                series("interval: 1m, output: /srv/a.jpg"),
                "serve.yaml:4:26: output: \"/srv/a.jpg\" gives all pictures the same name; put %n into the name, or use overwrite"
            ),
            (
                series("interval: 1m, output: /srv/%n.jpg, ledger: off"),
                "serve.yaml:4:47: ledger: is off; leave it out: a service resumes its series from their ledgers"
            ),
        ])
    func mistake(text: String, line: String) {
        let error = #expect(throws: CaptureError.self) { try read(text) }
        #expect(error?.description.hasPrefix(line) == true, "\(error?.description ?? "none")")
        #expect(error?.code == .configuration && error?.description.contains("\n") == false)
    }

    @Test("All mistakes of a file are reported at once, in their order")
    func severalMistakes() {
        let error = #expect(throws: CaptureError.self) {
            try read(
                """
                listen: 8080
                cameras:
                  a:
                    width: x
                    series:
                      one: { interval: never, output: /srv/%n.jpg }
                      two: { interval: 1m }
                  b: { series: { two: { interval: 1m, output: /srv/b/%n.jpg } } }
                """)
        }
        let places = error?.description.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(
            places == [
                "serve.yaml:1:9:", "serve.yaml:4:12:", "serve.yaml:6:24:", "serve.yaml:7:7:", "serve.yaml:8:18:",
            ])
    }

    @Test("Two series cannot share a ledger, and no two series an ID")
    func sharing() {
        let text = """
            cameras:
              a:
                series:
                  one: { interval: 1m, output: /srv/a/%n.jpg }
                  two: { interval: 2m, output: /srv/a/%n.jpg }
              b:
                series:
                  one: { interval: 1m, output: /srv/b/%n.jpg }
            """
        let error = #expect(throws: CaptureError.self) { try read(text) }
        #expect(
            error?.description == """
                serve.yaml:5:28: output: "/srv/a/%n.jpg" is also the output of series one; give each series its own
                serve.yaml:8:7: "one" appears twice, first in line 4; remove one
                """)
    }

    @Test("Sessions name their file, cameras and folder, also above the cameras")
    func sessions() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("two.yaml", "stages: [{ name: one }, { name: two }]\n")
        let configuration = try read(
            """
            sessions:
              two: { session: \(file), front: a, back: b, output: \(folder.path)/ }
            cameras: { a: { camera: scene }, b: { camera: scene } }
            """)
        let session = try #require(configuration.sessions.first)
        #expect(session.id == "two" && session.output == folder.path)
        #expect(session.cameras == [.front: "a", .back: "b"])
        #expect(session.file.session.stages.map(\.name) == ["one", "two"])
        #expect(configuration.summary.hasSuffix("session two: two, to \(folder.path)"))
        let views = try folder.write("views.yaml", "stages: [{ name: one, cameras: [front, left] }]\n")
        let several = try read(
            """
            cameras: { a: { camera: scene }, b: { camera: scene } }
            sessions:
              views: { session: \(views), cameras: { front: b, left: a }, output: /srv }
            """)
        #expect(several.sessions.first?.cameras == [.front: "b", try #require(CameraRole(rawValue: "left")): "a"])
        let error = #expect(throws: CaptureError.self) {
            try read("cameras: { a: { camera: scene } }\nsessions: { views: { session: \(views), output: /srv } }")
        }
        #expect(error?.description.contains("needs a camera \"left\"") == true)
        // The only camera, and the session of the library with the name of the ID.
        let short = try read("cameras: { a: { camera: scene } }\nsessions: { avatar: { output: /srv } }")
        #expect(short.sessions.first?.cameras == [.front: "a"])
        #expect(short.sessions.first?.file.session.stages.first?.name == "front")
    }

    @Test(
        "A mistake in a session has its place and a remedy",
        arguments: [
            ("output: /srv", "camera: is missing"),
            ("output: srv, camera: a", "output: \"srv\" is not absolute"),
            ("camera: a", "output: is missing"),
            ("output: /srv, camera: c", "there is no camera \"c\"; use one of a, b"),
            ("output: /srv, front: a, back: a", "two roles have the same camera"),
            ("output: /srv, cameras: {front: a, left: c}", "left: there is no camera \"c\"; use one of a, b"),
            ("output: /srv, cameras: {front: a, any: b}", "\"any\" is not a role"),
            ("output: /srv, cameras: a", "cameras is a mapping; write cameras: {front: desk, left: side}"),
            ("output: /srv, camera: a, session: none", "none"),
            ("output: /srv, camera: a, cammera: a", "unknown key \"cammera\"; did you mean \"camera\"?"),
        ])
    func wrongSession(keys: String, words: String) throws {
        let text = "cameras: { a: { camera: scene }, b: {} }\nsessions:\n  avatar: { \(keys) }"
        let error = #expect(throws: CaptureError.self) { try read(text) }
        #expect(error?.description.contains(words) ?? false, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix("serve.yaml:3:") ?? false)
    }

    @Test("The chapter on the service begins with a valid configuration")
    func chapter() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let chapter = try String(contentsOf: root.appending(path: "docs/service.md"), encoding: .utf8)
        let example = try #require(chapter.components(separatedBy: "```yaml\n").dropFirst().first)
        let configuration = try read(try #require(example.components(separatedBy: "```").first))
        #expect(configuration.cameras.first?.series.map(\.id) == ["minute"])
    }

    private static func series(_ keys: String) -> String { "cameras:\n  a:\n    series:\n      s: { \(keys) }\n" }

    private func read(_ text: String) throws -> ServiceConfiguration {
        try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
    }
}
