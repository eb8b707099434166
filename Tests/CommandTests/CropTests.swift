// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Pictures cropped on the command line` {
    /// A picture of the scene.
    private func snap(_ name: String, _ command: borrowing Command, width: Int = 640) async throws {
        let outcome = try await command.run(
            "snap", "--camera", "scene", "--width", "\(width)", "--height", "\(width * 3 / 4)", "-o", name, "--quiet")
        try #require(outcome.status == 0, "\(outcome.error)")
    }

    @Test func `Crops are stored beside the originals, upright and whole, and replace no file`() async throws {
        let command = try Command()
        try await snap("a.jpg", command)
        let first = try await command.run("crop", "a.jpg", "--outline", "card")
        #expect(first.status == 0 && first.text == "a-crop.jpg\n", "\(first.error)")
        #expect(try command.bytes("a-crop.jpg").isJPEG)
        let again = try await command.run("crop", "a.jpg", "--outline", "card")
        #expect(again.status == 73 && again.text.isEmpty && again.error.contains("--overwrite"))
        #expect(try await command.run("crop", "a.jpg", "--outline", "card", "--overwrite").status == 0)
        #expect(try command.files() == ["a-crop.jpg", "a.jpg"])
    }

    @Test func `Crops are reported as JSON with source, path and corners`() async throws {
        let command = try Command()
        try await snap("a.jpg", command)
        let outcome = try await command.run(
            "crop", "a.jpg", "--outline", "card;size=50%", "--json", "-o", "cards/%.png", "--corners", "masked")
        #expect(outcome.status == 0, "\(outcome.error)")
        let crop = try #require(try outcome.events.first)
        #expect(crop["source"] == "a.jpg" && crop["path"] == "cards/a.png" && crop["format"] == "png")
        let (width, height): (Int?, Int?) = (crop["width"], crop["height"])
        let corners: [[Double]] = try #require(crop["corners"])
        #expect(corners.count == 4 && Int(corners[1][0] - corners[0][0]) == width)
        #expect(try #require(width) > #require(height) && crop["confidence"] == Double?.none)
        #expect(try command.bytes("cards/a.png").isPNG)
        let turned = try await command.run(
            "crop", "a.jpg", "--outline", "card", "--move", "-5%,10%", "--zoom", "1.5", "--turn", "-3", "-o", "-")
        #expect(turned.status == 0 && turned.output.isJPEG, "\(turned.error)")
    }

    @Test func `The pictures of a folder are cropped in order, without earlier crops`() async throws {
        let command = try Command()
        for name in ["b.jpg", "a.png", "c.jpg"] { try await snap(name, command, width: 320) }
        let outcome = try await command.run("crop", ".", "--outline", "card")
        #expect(outcome.lines == ["./a-crop.png", "./b-crop.jpg", "./c-crop.jpg"], "\(outcome.error)")
        let again = try await command.run("crop", ".", "b.jpg", "--outline", "card", "-o", "all/", "--format", "jpeg")
        #expect(again.lines == ["all/a-crop.jpg", "all/b-crop.jpg", "all/c-crop.jpg"])
        #expect(again.status == 64 && again.error.contains("would be stored as all/b-crop.jpg"))
    }

    @Test(arguments: [[], ["--rotate", "90"], ["--mirror", "--flip", "vertical", "--rotate", "270"]] as [[String]])
    func `A picture of a session is cropped at its outline, in the requested quality`(
        options: [String]
    ) async throws {
        let command = try Command()
        try command.write(
            "countdown: 100ms\nstages:\n  - {name: front, outline: card, crop: outline}\n", to: "card.yaml")
        let arguments = ["session", "run", "card.yaml", "--auto", "--quiet", "--quality", "20", "-o", "out"]
        let run = try await RunningCommand(arguments + SessionDesk.camera + options, in: command.folder).outcome()
        #expect(run.status == 0, "\(run.error)")
        let folder = try #require(SessionDesk.folders(in: command.folder.appending(path: "out")).first)
        let session = try StoredSession(folder)
        try session.expectAsPublished()
        let picture = try #require(session.pictures.first)
        let cut = try #require(picture.object("crop"))
        let (width, height): (Int?, Int?) = (picture["width"], picture["height"])
        #expect([width, height] == (options.isEmpty ? [320, 240] : [240, 320]))
        // On a slow machine the first picture can fail, and another one takes its place.
        let (taken, cropped): (String, String) = try (#require(picture["file"]), #require(cut["file"]))
        for name in [taken, cropped] {
            // The first divisor of luma at quality 20.
            let jpeg = try Data(contentsOf: URL(filePath: folder + "/" + name))
            let table = try #require(jpeg.range(of: Data([0xFF, 0xDB])))
            #expect(jpeg[table.upperBound + 3] == 40)
        }

        let again = try await command.run(
            "crop", folder + "/" + taken, "--outline", "card", "--json", "-o", "a.jpg")
        let crop = try #require(try again.events.first)
        #expect(crop["width"] as Int? == cut["width"] && crop["height"] as Int? == cut["height"])
        let corners: ([[Double]], [[Double]]) = try (#require(crop["corners"]), #require(cut["corners"]))
        #expect(corners.0 == corners.1)
        // A given placement is relative to the picture.
        let own = try await command.run(
            "crop", folder + "/" + taken, "--outline", "card;size=50%", "--json", "-o", "b.jpg")
        let small: Int? = try #require(own.events.first)["width"]
        #expect(try #require(small) < #require(crop["width"] as Int?))
        // A damaged record is not ignored.
        try Data("{\"format\": \"gst-capture-session\"".utf8).write(to: URL(filePath: folder + "/session.json"))
        let refused = try await command.run("crop", folder + "/" + taken, "--outline", "card", "-o", "c.jpg")
        #expect(refused.status == 74 && refused.error.contains("session.json"), "\(refused.error)")
    }

    @Test func `The name of a file in an error cannot control the terminal`() async throws {
        let command = try Command()
        let outcome = try await command.run("crop", "\u{1B}]0;x\u{7}.jpg", "--outline", "card")
        #expect(outcome.status == 66)
        #expect(outcome.error.contains(" ]0;x .jpg: "), "\(outcome.error)")
        #expect(!outcome.error.contains("\u{1B}") && !outcome.error.contains("\u{7}"))
    }

    @Test func `A picture that cannot be cropped does not affect the others`() async throws {
        let command = try Command()
        try await snap("good.jpg", command)
        let whole = try command.bytes("good.jpg")
        try whole.dropLast(whole.count / 2).write(to: command.folder.appending(path: "cut.jpg"))
        try await snap("good.png", command)
        try command.bytes("good.png").prefix(3000).write(to: command.folder.appending(path: "cut.png"))
        try FileManager.default.removeItem(at: command.folder.appending(path: "good.png"))
        try command.write("", to: "empty.jpg")
        let outcome = try await command.run(
            "crop", "cut.jpg", "cut.png", "none.jpg", "empty.jpg", "good.jpg", "/dev/null", "--outline", "card")
        #expect(outcome.status == 74 && outcome.lines == ["good-crop.jpg"])
        for words in [
            "cut.jpg: is not a complete JPEG picture", "cut.png: is not a complete PNG picture",
            "none.jpg: there is no such file", "empty.jpg: is empty",
            "/dev/null: is not a regular file",
        ] {
            #expect(outcome.error.contains(words), "\(outcome.error)")
        }
        #expect(try command.files() == ["cut.jpg", "cut.png", "empty.jpg", "good-crop.jpg", "good.jpg"])
    }

    @Test(
        arguments: [
            (["a.jpg"], 64, "--outline"), ([], 64, "picture"),
            (["a.jpg", "--outline", "cart"], 66, "did you mean card?"),
            (["a.jpg", "--outline", "card,face"], 64, "not a single outline"),
            (["a.jpg", "--outline", "grid:thirds"], 64, "not a single outline"),
            (["a.jpg", "--outline", "card;size=0"], 64, "size"),
            (["a.jpg", "--outline", "cart"], 66, "--outline: "),
            (["a.jpg", "--outline", "card", "-o", "a.gif"], 64, ".gif"),
            (["a.jpg", "--outline", "card", "--move", "1000%,0"], 64, "the crop would be empty"),
            (["a.jpg", "--outline", "card", "--zoom", "0"], 64, "zoom"),
            (["a.jpg", "--outline", "card", "--turn", "nan"], 64, "turned that far"),
            (["a.jpg", "--outline", "card", "--move", "here"], 64, "--move"),
            (["a.jpg", "--outline", "card", "--corners", "round"], 64, "square, rounded or masked"),
            (["a.jpg", "--outline", "card", "--corners", "rounded", "--ground", "whit"], 64, "white"),
            (["a.jpg", "--outline", "card", "--corners", "masked"], 64, "JPEG has no transparency"),
            (["a.jpg", "--outline", "card", "--format", "webp"], 64, "jpeg or png"),
            (["a.jpg", "--outline", "card", "-o", "a.webp"], 64, "not a crop format"),
            (["a.jpg", "--outline", "card", "--quality", "0"], 64, "--quality"),
            (["a.jpg", "b.jpg", "--outline", "card", "-o", "one.jpg"], 64, "put % into it"),
            (["a.jpg", "--outline", "card", "--rectify"], 74, "a.jpg: the four edges"),
            (["bare", "--outline", "card"], 66, "holds no pictures"),
        ] as [([String], Int32, String)])
    func `A crop that is not possible is an error with the reason`(
        arguments: [String], status: Int32, words: String
    ) async throws {
        let command = try Command()
        try await snap("a.jpg", command, width: 320)
        try FileManager.default.createDirectory(
            at: command.folder.appending(path: "bare"), withIntermediateDirectories: false)
        let outcome = try await RunningCommand(["crop"] + arguments, in: command.folder).outcome()
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.error.contains(words), "\(outcome.error)")
        #expect(outcome.output.isEmpty)
        #expect(try command.files().filter { $0.contains("-crop") || $0 == "one.jpg" }.isEmpty)
    }
}
