// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Outlines on the command line` {
    @Test func `Outlines are listed as text and as JSON`() async throws {
        let command = try Command()
        let people = try await command.run("outlines")
        #expect(people.status == 0 && people.text.contains("card") && people.text.contains("85.60 x 53.98 mm"))
        let programs = try await command.run("outlines", "list", "--json")
        let names = try programs.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["name"] as? String)
        }
        #expect(
            Set(names).isSuperset(of: [
                "body-front", "body-side", "face", "card", "document", "passport", "hand", "plate", "letterbox",
            ]))
    }

    @Test func `An outline is printed unchanged, and a copy of it can be rendered`() async throws {
        let command = try Command()
        let shown = try await command.run("outlines", "show", "face")
        #expect(shown.status == 0 && shown.text.contains("<svg") && shown.text.hasSuffix("</svg>\n"))
        try command.write(shown.text, to: "mine.svg")
        #expect(try await command.run("outlines", "render", "mine.svg").text == "mine.png\n")
    }

    @Test func `An outline is drawn in the requested color and size`() async throws {
        let command = try Command()
        // A card fills the height of a frame with the card's proportions; its edge is 1 % away from the frame's.
        let outcome = try await command.run(
            "outlines", "render", "card", "--size", "996x680", "--appearance", "color=red;stroke=8px;halo=0", "-o",
            "%-look.png")
        #expect(outcome.text == "card-look.png\n", "\(outcome.error)")
        let picture = try await pixels(of: "card-look.png", command)
        let (edge, middle) = (picture[340 * 996 + 70], picture[340 * 996 + 498])
        #expect(edge.red > edge.green + 60 && edge.red > edge.blue + 60)
        #expect(middle == picture[0])
    }

    @Test func `An outline can be written to standard output, and replaces no file`() async throws {
        let command = try Command()
        let arguments = ["outlines", "render", "plate", "--size", "64x48"]
        let piped = try await RunningCommand(arguments + ["-o", "-"], in: command.folder).outcome()
        #expect(piped.status == 0)
        #expect(try await RunningCommand(arguments, in: command.folder).outcome().status == 0)
        let again = try await RunningCommand(arguments, in: command.folder).outcome()
        #expect(again.status == 73 && again.error.contains("--overwrite"))
        #expect(try command.files() == ["plate.png"])
    }

    @Test(
        arguments: [
            (["render", "fase"], 66, "did you mean face?"), (["show", "fase"], 66, "did you mean face?"),
            (["render", "face", "hand", "-o", "one.png"], 64, "put % into it"),
            (["render", "face", "--size", "0x0"], 64, "size"),
            (["render", "face", "--size", "999999x2"], 64, "size"),
            (["render", "face", "--over", "lost.jpg"], 66, "lost.jpg"),
            (["render", "face;opacity=nan"], 64, "opacity"), (["render", "broken.svg"], 78, "broken.svg"),
            (["render", "bomb.svg"], 78, "bomb.svg"),
        ] as [([String], Int32, String)])
    func `An outline that cannot be drawn is an error with the reason`(
        arguments: [String], status: Int32, words: String
    ) async throws {
        let command = try Command()
        try command.write("<svg xmlns='http://www.w3.org/2000/svg'><rect", to: "broken.svg")
        let entities = (1...9).map { "<!ENTITY a\($0) '" + String(repeating: "&a\($0 - 1);", count: 10) + "'>" }
        try command.write(
            "<!DOCTYPE svg [<!ENTITY a0 'x'>\(entities.joined())]>"
                + "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><text>&a9;</text></svg>", to: "bomb.svg")
        let outcome = try await RunningCommand(["outlines"] + arguments, in: command.folder).outcome()
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.error.contains(words), "\(outcome.error)")
        #expect(try command.files().filter { $0.hasSuffix(".png") }.isEmpty)
    }

    /// Decodes the pixels of a PNG with GStreamer.
    private func pixels(of name: String, _ command: borrowing Command) async throws -> [Pixel] {
        let path = command.folder.appending(path: name).path
        let line =
            "gst-launch-1.0 -q filesrc location=\(path) ! pngdec ! videoconvert ! video/x-raw,format=RGBx ! filesink location=\(path).raw"
            .split(separator: " ").map(String.init)
        #expect(try await ChildProgram(line).status() == 0)
        let bytes = Array(try command.bytes(name + ".raw"))
        return stride(from: 0, to: bytes.count - 3, by: 4).map {
            Pixel(red: Int(bytes[$0]), green: Int(bytes[$0 + 1]), blue: Int(bytes[$0 + 2]))
        }
    }

    private struct Pixel: Equatable {
        let red: Int, green: Int, blue: Int
    }
}
