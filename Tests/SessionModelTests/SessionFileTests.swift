// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PresetKit
import SessionModel
import Testing

@testable import CaptureKit

@Suite("Session files")
struct SessionFileTests {
    private static let stage = "stages:\n  - name: a\n"

    private func read(_ text: String) throws -> SessionDescription {
        try SessionFile(path: "/a/s.yaml", bytes: Array(text.utf8)).session
    }

    @Test("A file has stages and the settings that they share")
    func reading() throws {
        let session = try read(
            """
            # ---
            # For a test.
            title: A test
            start: now
            next-stages: trigger
            countdown: 1.5s
            abort: retake-stage
            keep-aborted: yes
            tutorial-once: no
            tutorial: [One, {text: Two, picture: ../b.svg}]
            gates:
              - steady, light
              - present: wait
                limit: 9s
                then: abort
                threshold: 40%
                only-one: yes
                reject: yes
            stages:
              - name: front
                prompt: "Look: here"
                outline: card
                countdown: 0
                camera: back
                skippable: yes
                pictures: 3
                interval: 2s
                ghost: first
                crop: rectify
                corners: masked
                print-width: 35mm
                best-of: 5
                gates: [{light: abort}, focus]
              - {name: back, camera: any, outline: none, interval: trigger, gates: none}
            """)
        #expect(session.name == "s" && session.title == "A test" && session.purpose == "For a test.")
        #expect(session.start == .now && session.nextStages == .trigger && session.abort == .retakeStage)
        #expect(session.countdown == .milliseconds(1500) && session.keepsAborted && !session.remembersTutorial)
        #expect(session.tutorial == [TutorialPage("One"), TutorialPage("Two", picture: "/a/../b.svg")])
        var present = GateRequest(.present, .wait)
        (present.limit, present.expiry, present.threshold) = (.seconds(9), .abort, 0.4)
        (present.isAlone, present.rejectsPictures) = (true, true)
        #expect(session.gates == [GateRequest(.steady, .abort), GateRequest(.light, .warn), present])
        var front = SessionStage(name: "front")
        (front.prompt, front.outline, front.countdown, front.camera) = ("Look: here", "card", .zero, .back)
        (front.isSkippable, front.pictures, front.sequence) = (true, 3, .timed(.seconds(2)))
        (front.ghost, front.crop, front.corners, front.bestOf) = (.first, .rectify, .masked, 5)
        front.gates = [GateRequest(.light, .abort), GateRequest(.focus)]
        front.printWidth = 35
        var back = SessionStage(name: "back")
        back.gates = []
        #expect(session.stages == [front, back])
        #expect(session.gates(of: front) == [GateRequest(.steady), present] + (front.gates ?? []))
        #expect(session.gates(of: back) == [])
        #expect(session.pictureCount == 4 && session.countdown(of: back) == .milliseconds(1500))
    }

    @Test("A stage can be a clip, with the keys of every stage")
    func clip() throws {
        let session = try read(
            """
            gates: [steady: abort, {light: wait, reject: yes}]
            stages:
              - name: hello
                prompt: Say your name
                outline: face
                countdown: 3s
                camera: front
                skippable: yes
                ghost: first
                gates: [present: wait]
                clip: 5s
                audio: auto
              - {name: turn, clip: 10m, audio: "hw:1"}
              - {name: silent, clip: 500ms, audio: no}
            """)
        var hello = SessionStage(name: "hello")
        (hello.prompt, hello.outline, hello.countdown, hello.camera) = ("Say your name", "face", .seconds(3), .front)
        (hello.isSkippable, hello.ghost, hello.gates) = (true, .first, [GateRequest(.present, .wait)])
        (hello.clip, hello.microphone) = (.seconds(5), .automatic)
        var (turn, silent) = (SessionStage(name: "turn"), SessionStage(name: "silent"))
        (turn.clip, turn.microphone, silent.clip) = (.seconds(600), .device("hw:1"), .milliseconds(500))
        #expect(session.stages == [hello, turn, silent] && session.pictureCount == 3)
    }

    @Test("A clip can have its own size, rate and encoder")
    func clipVideo() throws {
        let session = try read(
            """
            stages:
              - {name: hello, clip: {length: 5s, size: 1280x720, fps: 25, bitrate: 4M, codec: x264enc}}
              - name: turn
                clip:
                  size: x480
                  length: 20s
                  codec: auto
              - {name: plain, clip: {length: 1s}}
            """)
        var (hello, turn) = (SessionStage(name: "hello"), SessionStage(name: "turn"))
        hello.clip = .seconds(5)
        (hello.video.width, hello.video.height) = (1280, 720)
        (hello.video.frameRate, hello.video.bitRate) = (FrameRate(25), 4_000_000)
        hello.video.encoder = .only(.x264)
        (turn.clip, turn.video.height) = (.seconds(20), 480)
        var plain = SessionStage(name: "plain")
        plain.clip = .seconds(1)
        #expect(session.stages == [hello, turn, plain])
    }

    @Test("All keys without a meaning for a clip are reported at once")
    func keysOfPictures() {
        let keys = [
            "cameras: [front, left]", "pictures: 2", "interval: 2s", "crop: none", "unrectified: keep",
            "corners: rounded", "best-of: 2",
        ]
        let text = (["stages:", "  - name: a", "    clip: 5s"] + keys.map { "    " + $0 }).joined(separator: "\n")
        let error = #expect(throws: CaptureError.self) { try read(text) }
        let lines = error?.description.split(separator: "\n").map(String.init)
        let expected = keys.enumerated().map { index, key in
            let name = key.prefix { $0 != ":" }
            return "/a/s.yaml:\(index + 4):5: a: \(name) has no meaning for a clip; leave out \(name):"
        }
        #expect(lines == expected)
    }

    @Test("Missing settings have their defaults")
    func defaults() throws {
        let session = try read(Self.stage)
        #expect(session == SessionDescription(name: "s", stages: [SessionStage(name: "a")]))
        #expect(session.countdown == .seconds(5) && session.abort == .restart && session.start == .trigger)
    }

    private static let clipMistakes: [(String, String)] = [
        ("clip: 400ms", #"s.yaml:3:11: clip: "400ms" is too short; give 500ms or more"#),
        ("clip: 11m", #"s.yaml:3:11: clip: "11m" is too long; give 10m or less"#),
        ("clip: {size: 1280x720}", "s.yaml:3:11: clip: has no length; add length: 5s"),
        ("clip: {lenght: 5s}", #"s.yaml:3:12: unknown key "lenght"; did you mean "length"?"#),
        ("clip: {length: 1ms}", #"s.yaml:3:20: length: "1ms" is too short; give 500ms or more"#),
        ("clip: [5s]", "s.yaml:3:11: clip: takes a single value, not a list"),
        (
            "clip: {length: 5s, size: 12}",
            #"s.yaml:3:30: size: "12" is not a size; give one such as 1280x720, 1280x or x720"#
        ),
        (
            "clip: {length: 5s, codec: gifenc}",
            #"s.yaml:3:31: codec: "gifenc" is not an encoder of H.264; choose auto, or one of camera, v4l2h264enc, "#
                + "vah264enc, vaapih264enc, openh264enc, x264enc"
        ),
        (
            "clip: {length: 5s, bitrate: 1}",
            #"s.yaml:3:33: bitrate: "1" is out of range; give 50k to 200M"#
        ),
        ("audio: auto", "s.yaml:3:5: a: audio needs a clip; add clip: 5s"),
        (
            "clip: 5s\n    audio: audiotestsrc",
            "s.yaml:4:12: audio: elements cannot be given in a session's file; write audio: auto, and use the option"
                + " --audio"
        ),
        (
            "clip: 5s\n    gates: [{light: wait, reject: yes}]",
            "s.yaml:4:5: a: gates cannot reject a clip; leave out reject:"
        ),
    ]

    @Test("A mistake in a clip is one line with its place", arguments: clipMistakes)
    func clipMistake(keys: String, message: String) {
        mistakes(text: Self.stage + "    " + keys, message: message)
    }

    @Test(
        "An error gives the place, the mistake and the remedy",
        arguments: [
            ("", "s.yaml:1:1: has no stages; write stages: and an entry for each"),
            ("stages: []", "s.yaml:1:1: has no stages; write stages: and an entry for each"),
            ("stages: a", "s.yaml:1:9: stages: is a list; begin each entry with a dash"),
            ("stages: [a]", "s.yaml:1:10: a stage is a mapping; begin it with name:"),
            ("stages:\n  - prompt: x", "s.yaml:2:5: a stage has no name; add name:"),
            (
                "stages:\n  - name: a/b",
                #"s.yaml:2:11: name: "a/b" is not a name; give letters, digits, - and _"#
            ),
            ("stages:\n  - name: a\n  - name: a", #"s.yaml:3:5: two stages are called "a"; rename one"#),
            (stage + "    promt: x", #"s.yaml:3:5: unknown key "promt"; did you mean "prompt"?"#),
            (stage + "    name: b", #"s.yaml:3:5: "name" appears twice, first in line 2; remove one"#),
            (
                stage + "    camera: 2nd",
                #"s.yaml:3:13: camera: "2nd" is not a role; give front, back, or another name of letters, digits and _,"#
                    + " but not any, none or crop"
            ),
            (
                stage + "    camera: front\n    cameras: [front, left]",
                "s.yaml:2:5: camera and cameras exclude each other; leave out one of them"
            ),
            (stage + "    pictures: 0", "s.yaml:3:15: pictures: 0 is out of range; give 1 to 1000"),
            (
                stage + "    interval: soon",
                #"s.yaml:3:15: interval: "soon" is not known; give trigger or a time such as 2s"#
            ),
            (
                stage + "    countdown: 1h",
                #"s.yaml:3:16: countdown: "1h" is too long; give 10m or less"#
            ),
            (stage + "    crop: outline", "s.yaml:2:5: a: crop needs an outline; add outline:"),
            (
                stage + "    print-width: 35",
                #"s.yaml:3:18: print-width: "35" is no length in print; give 5mm to 2000mm"#
            ),
            (stage + "    print-width: 35mm", "s.yaml:2:5: a: print-width needs a crop; add crop: outline"),
            (stage + "    prompt: [a]", "s.yaml:3:13: prompt: takes a single value, not a list"),
            (
                stage + "    gates: [[steady]]",
                "s.yaml:3:13: gates: a list cannot be inside of another; write a single value"
            ),
            (stage + "    gates: stedy", #"s.yaml:3:12: gates: "stedy" is not a gate; did you mean steady?"#),
            (stage + "gates: [steady, steady]", "s.yaml:3:17: gates: steady appears twice"),
            (
                stage + "gates: [{limit: 3}]",
                "s.yaml:3:9: gates: a gate has no kind; write one of steady, focus, light, present"
            ),
            (
                stage + "gates: [{focus: wait, light: warn}]",
                "s.yaml:3:23: gates: a gate cannot be focus and light; make two entries"
            ),
            (
                stage + "gates: [{focus: wait, limt: 3}]",
                #"s.yaml:3:23: gates: unknown key "limt"; did you mean limit?"#
            ),
            (stage + "gates: [{focus: wait, limit: 0}]", #"s.yaml:3:30: gates: "0" is too short; give 1s or more"#),
            (
                stage + "gates: [{focus: wait, threshold: 3}]",
                #"s.yaml:3:34: gates: "3" is not a score; give 0 to 1, or 50%"#
            ),
            (
                stage + "    cameras: [front]",
                "s.yaml:3:14: cameras: needs 2 to 8 different roles; write cameras: [front, left]"
            ),
            (
                stage + "gates: [{steady: abort, reject: yes}]",
                "s.yaml:3:25: gates: steady does not take reject; largest and only-one belong to present, sharpness to focus,"
                    + " glare to light, and reject to all but steady"
            ),
            (
                stage + "gates: [{light: wait, reject: maybe}]",
                #"s.yaml:3:31: gates: "maybe" is neither yes nor no"#
            ),
            (stage + "abort: never", #"s.yaml:3:8: abort: "never" is not known; give restart, retake-stage or cancel"#),
            (stage + "nextstages: now", #"s.yaml:3:1: unknown key "nextstages"; did you mean "next-stages"?"#),
            (stage + "tutorial:\n  - picture: x", "s.yaml:4:5: a page has no text; add text:"),
            (stage + "? [a]\n: b", "s.yaml:3:3: a list cannot be a key; write key: value"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: CaptureError.self) { try SessionFile(path: "s.yaml", bytes: Array(text.utf8)) }
        #expect(error?.description == message)
        #expect(error?.code == .configuration)
    }

    @Test("All errors of a file are reported at once")
    func several() {
        let text =
            "start: later\nstages:\n  - name: a\n    ghost: who\n    best-of: 0\n  - nam: b\n"
            + "gates: [stedy, {focus: wait, limit: 0}]\n"
        let error = #expect(throws: CaptureError.self) { try SessionFile(path: "s.yaml", bytes: Array(text.utf8)) }
        let places = error?.description.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(
            places == ["s.yaml:1:8:", "s.yaml:4:12:", "s.yaml:5:14:", "s.yaml:6:5:", "s.yaml:7:9:", "s.yaml:7:37:"])
    }

    @Test("Missing outlines and pictures are errors")
    func references() throws {
        let folder = try TemporaryFolder()
        try folder.write("pipelines/outlines/cat.svg", "<svg/>")
        let path = try folder.write(
            "pipelines/sessions/s.yaml",
            """
            tutorial:
              - {text: a, picture: ../outlines/cat.svg}
              - {text: b, picture: dog.png}
              - {text: c, picture: cat}
              - {text: d, picture: catt}
            stages:
              - {name: a, outline: cat}
              - {name: b, outline: none}
              - {name: c, outline: catt}
            """)
        let outlines = OutlineLibrary(PresetSurroundings(workingFolder: folder.path))
        let errors = SessionFile.errors(inFile: path, outlines: outlines)
        let places = ["9:24", "3:24", "5:24"].map { "\(path):\($0)" }
        #expect(errors.map(\.subject) == places)
        #expect(errors.map(\.advice).filter { $0 == "did you mean cat?" }.count == 2)
    }
}

@Suite("The library of sessions")
struct SessionLibraryTests {
    @Test("A session of the user overrides one of the working folder")
    func order() throws {
        let folder = try TemporaryFolder()
        let library = SessionLibrary(
            PresetSurroundings(workingFolder: folder.path + "/work", home: folder.path + "/home"))
        let user = try folder.write("home/.config/gst-capture/sessions/pair.yaml", "stages: [{name: a}]")
        let own = try folder.write("work/pipelines/sessions/pair.yaml", "stages: [{name: b}]")
        try folder.write("work/pipelines/sessions/bad.yaml", "stages: 3")
        let entries = library.entries.filter { $0.path.hasPrefix(folder.path) }
        #expect(entries.map(\.name) == ["bad", "pair"])
        #expect(entries[1].path == user && entries[1].shadowed == [own])
        #expect(try library.file("pair").session.stages.map(\.name) == ["a"])
        #expect(throws: CaptureError.self) { try entries[0].file.get() }
        let error = #expect(throws: CaptureError.self) { try library.file("pairs") }
        #expect(error?.description == #""pairs": there is no such session; did you mean pair?"#)
        #expect(try library.file(own).session.stages.map(\.name) == ["b"])
    }
}
