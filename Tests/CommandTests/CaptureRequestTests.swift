// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import Glibc
import OverlayCompositor
import Testing

@testable import gst_capture

@Suite("Requests to a timelapse or a preview", .timeLimit(.minutes(5)))
struct CaptureRequestTests {
    @Test(
        "Each request is read with its values",
        arguments: [
            (#"{"do": "capture"}"#, CaptureRequest.Action.capture(after: nil)),
            (#"{"do": "capture", "delay": "3s", "id": 7}"#, .capture(after: .seconds(3))),
            (#"{"do": "call-off"}"#, .callOff),
            (#"{"do": "repeat", "every": "500ms"}"#, .repetition(every: .milliseconds(500))),
            (#"{"do": "repeat"}"#, .repetition(every: nil)),
            (#"{"do": "repeat", "every": null}"#, .repetition(every: nil)),
            (#"{"do": "mirror", "on": true}"#, .mirror(true)), (#"{"do": "ghost", "on": false}"#, .ghost(false)),
            (#"{"do": "outline", "name": "face"}"#, .outline("face")),
            (#"{"do": "outline", "name": null}"#, .outline(nil)),
            (#"{"do": "finish"}"#, .finish), (#"{"do": "stop"}"#, .stop), (#"{"do": "state"}"#, .state),
        ])
    func valid(line: String, action: CaptureRequest.Action) throws {
        let request = try CaptureRequest(line: line)
        #expect(request.action == action)
        #expect(request.id == (line.contains("id\":") ? "7" : nil))
    }

    @Test(
        "A line that is no request is an error with a remedy",
        arguments: [
            "", "nonsense", "[]", "{}", "{", "7", "\u{0}", #"{"do": "explode"}"#, #"{"do": ["capture"]}"#,
            #"{"do": "capture", "delay": "soon"}"#, #"{"do": "capture", "delay": "-1s"}"#,
            #"{"do": "capture", "delay": "9999999999h"}"#, #"{"do": "mirror"}"#, #"{"do": "mirror", "on": "maybe"}"#,
            #"{"do": "outline", "name": {"a": 1}}"#, String(repeating: "[", count: 10_000),
            "{\"do\": \"" + String(repeating: "x", count: 16_000) + "\"}",
        ])
    func invalid(line: String) {
        let error = #expect(throws: CaptureError.self) { try CaptureRequest(line: line) }
        #expect(error?.code == .usage && error?.advice != nil)
        #expect((error?.description.utf8.count ?? 0) < 1000)
    }

    @Test("A desk refuses a request that does not fit its state, and names the reason")
    func refusals() throws {
        var desk = PreviewDesk(
            overlay: [], library: [Outline(name: "face", path: "/o/face.svg")], timer: nil, interval: nil,
            isMirrored: false)
        func refusal(_ action: CaptureRequest.Action) -> CaptureRequest.Refusal? {
            do throws(CaptureRequest.Refusal) { _ = try desk.perform(action) } catch { return error }
            return nil
        }
        #expect(refusal(.callOff) == .notCounting && refusal(.ghost(true)) == .noPicture)
        #expect(refusal(.outline("none")) == .noOutline && refusal(.ghost(false)) == nil)
        #expect(refusal(.capture(after: .seconds(3))) == nil && refusal(.capture(after: .seconds(3))) == .counting)
        #expect(refusal(.callOff) == nil && refusal(.outline("face")) == nil)
        #expect(desk.layers.first?.name == "face")
        #expect(refusal(.outline(nil)) == nil && desk.layers.first?.name != "face")
    }

    @Test("A program captures, asks for the state, and finishes a timelapse")
    func timelapse() async throws {
        let desk = try ControlledCommand("timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg")
        var answers: [String] = []
        for await line in desk.process.lines {
            let event = try Event(line)
            switch event.name {
            case "captured":
                if answers.isEmpty {
                    try desk.send("nonsense", #"{"do": "mirror", "on": true, "id": 1}"#, #"{"do": "capture", "id": 2}"#)
                } else {
                    try desk.send(#"{"do": "state", "id": 3}"#, #"{"do": "finish", "id": 4}"#)
                }
            case "ok", "error": answers.append(Self.words(event))
            case "state":
                let slot = try #require(event.object("next_slot"))
                #expect(event["captured"] as Int? == 2 && slot["slot"] as Int? == 1)
                answers.append(Self.words(event))
            default: break
            }
        }
        let outcome = await desk.end()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            answers == ["error bad-request", "error mirror 1 no-preview", "ok capture 2", "state 3", "ok finish 4"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: desk.folder.path).filter { $0.hasSuffix("jpg") }.count
                == 2)
    }

    @Test("A program counts down, calls off and stops a preview")
    func preview() async throws {
        let desk = try ControlledCommand("preview", "--camera", "scene", "--sink", "none", "-o", "%n.jpg")
        var answers: [String] = []
        for await line in desk.process.lines {
            let event = try Event(line)
            switch event.name {
            case "previewing":
                try desk.send(
                    #"{"do": "capture", "delay": "20m", "id": 1}"#, #"{"do": "capture", "delay": "1s", "id": 2}"#,
                    #"{"do": "call-off", "id": 3}"#, #"{"do": "capture", "id": 4}"#)
            case "captured":
                try desk.send(
                    #"{"do": "ghost", "on": true, "id": 5}"#, #"{"do": "state", "id": 6}"#, #"{"do": "stop", "id": 7}"#)
            case "state":
                #expect(event.object("preview")?["ghost"] as Bool? == true)
                answers.append(Self.words(event))
            case "ok", "error": answers.append(Self.words(event))
            default: break
            }
        }
        let outcome = await desk.end()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            answers == [
                "ok capture 1", "error capture 2 counting", "ok call-off 3", "ok capture 4", "ok ghost 5", "state 6",
                "ok stop 7",
            ])
    }

    @Test("Requests need JSON, and other ways to send them are refused", arguments: ["timelapse", "preview"])
    func options(command: String) async throws {
        let plain = try await Command().run(command, "--camera", "scene", "--control", "stdin")
        #expect(plain.status == 64 && plain.error.contains("--control replies in JSON; add --json"))
        let other = try await Command().run(command, "--camera", "scene", "--json", "--control", "tcp")
        #expect(other.status == 64 && other.error.contains("--control \"tcp\" is not known; give stdin"))
    }

    private static func words(_ event: Event) -> String {
        [event.name, event["do"], event["id"], event["reason"]].compactMap(\.self).joined(separator: " ")
    }
}

/// A command that reads requests from a pipe.
private final class ControlledCommand: Sendable {
    let process: RunningCommand
    let folder: URL
    private let command: Command
    private let requests: FileHandle

    init(_ arguments: String...) throws {
        command = try Command()
        folder = command.folder
        let pipe = folder.path + "/requests"
        try #require(mkfifo(pipe, 0o600) == 0)
        process = try RunningCommand(
            arguments + ["--json", "--control", "stdin"], in: folder,
            launcher: ["/bin/sh", "-c", "exec \"$0\" \"$@\" < \(pipe)"])
        // Waits for the reader to open the other end.
        requests = try FileHandle(forWritingTo: URL(filePath: pipe))
    }

    func send(_ lines: String...) throws {
        for line in lines { try requests.write(contentsOf: Data((line + "\n").utf8)) }
    }

    func end() async -> RunningCommand.Outcome { await process.outcome() }
}
