// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import SessionModel
import Testing

@testable import RecordKit

@Suite("Kinds of records")
struct RecordKindTests {
    static let folder = ShippedPresets.folder + "/records"

    private static func read(_ text: String, name: String = "card") throws(CaptureError) -> RecordKind {
        try RecordKindFile(path: name + ".yaml", bytes: Array(text.utf8)).kind
    }

    private func errors(_ text: String, name: String = "card") -> [String] {
        RecordKindReader(Array(text.utf8), name: name, file: name + ".yaml").errors.map(\.description)
    }

    @Test func `A file describes the fields and sides of a kind`() throws {
        let kind = try Self.read(
            """
            title: Card
            key: number
            fields:
              - {name: number, label: No., required: yes, pattern: "[0-9]+", from: {side: back, read: code}}
              - {name: owner, personal: yes}
              - {name: mail, unique: yes}
              - {name: size, choices: [S, M]}
              - {name: notes, kind: lines}
            sides:
              - {name: front, label: Front, required: yes, session: card, stage: front}
              - back
            keep: 1y
            languages:
              de: {title: Karte, fields: {number: Nummer}, sides: {front: Vorn}}
            """)
        #expect(kind.id == "card" && kind.title == "Card" && kind.key == "number")
        #expect(kind.fields.map(\.name) == ["number", "owner", "mail", "size", "notes"])
        #expect(kind.fields[0].form.isRequired && kind.fields[0].source == RecordField.Source(side: "back"))
        #expect(kind.fields[0].form.pattern == "[0-9]+" && kind.isUnique(kind.fields[0]))
        #expect(kind.fields[1].isPersonal && !kind.isUnique(kind.fields[1]) && kind.fields[2].isUnique)
        #expect(kind.fields[3].form.kind == .choice && kind.fields[4].form.kind == .lines)
        #expect(kind.sides.map(\.name) == ["front", "back"] && kind.sides[0].isRequired && !kind.sides[1].isRequired)
        #expect(kind.sides[0].session == "card" && kind.sides[0].stage == "front")
        #expect(kind.retention == .seconds(365 * 86400))
        let german = kind.translated(to: "de-AT")
        #expect(german.title == "Karte" && german.fields[0].form.label == "Nummer" && german.sides[0].label == "Vorn")
        #expect(kind.translated(to: "fr") == kind)
    }

    @Test func `The kind of the chapter is valid`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let chapter = try String(contentsOf: root.appending(path: "docs/records.md"), encoding: .utf8)
        let example = try #require(chapter.components(separatedBy: "```yaml\n").dropFirst().first)
        let kind = try Self.read(try #require(example.components(separatedBy: "```").first), name: "plant")
        #expect(kind.title == "Plant" && kind.key == "label")
    }

    @Test func `All mistakes of a file are reported at once, with their places and remedies`() {
        let found = errors(
            """
            titel: Card
            key: nummer
            fields:
              - {name: number, requird: yes}
              - {name: number}
              - {name: "a b"}
            sides:
              - {name: front, stage: front}
            keep: soon
            """)
        #expect(
            found == [
                "card.yaml:1:1: unknown key \"titel\"; did you mean \"title\"?",
                "card.yaml:4:20: unknown key \"requird\"; did you mean \"required\"?",
                "card.yaml:6:12: name: \"a b\" is not a name; give letters, digits, - and _",
                "card.yaml:8:5: front: stage needs a session; add session:",
                "card.yaml:9:7: keep: \"soon\" is not a time; give a time such as 90d or 1y",
            ], "\(found)")
    }

    @Test(
        "A mistake names its place and its remedy",
        arguments: [
            (
                "key: nummer\nfields: [{name: number}]",
                "card.yaml:1:6: key: \"nummer\" is not a field; did you mean \"number\"?"
            ),
            ("title: Card", "card.yaml:1:1: has neither fields nor sides; write fields: and an entry for each"),
            ("", "card.yaml:1:1: has neither fields nor sides; write fields: and an entry for each"),
            ("fields: [{name: a}]\nsides: [a]", "card.yaml:2:9: a field and a side are called \"a\"; rename one"),
            (
                "fields: [{name: a, from: {side: bak, read: code}}]\nsides: [back]",
                "card.yaml:1:10: a: from: \"bak\" is not a side; did you mean \"back\"?"
            ),
            (
                "fields: [{name: a, from: {side: back}}]\nsides: [back]",
                "card.yaml:1:26: from: needs side and read; write {side: back, read: code}"
            ),
            (
                "fields: [{name: a, from: back}]\nsides: [back]",
                "card.yaml:1:26: from: is a mapping; write {side: back, read: code}"
            ),
            ("fields: [{name: id}]", "card.yaml:1:10: no field can be called \"id\"; each record has its own ID"),
            ("fields: [{label: a}]", "card.yaml:1:10: a field has no name; add name:"),
            ("fields: [{name: a, kind: choice}]", "card.yaml:1:10: a: has no choices; add choices:"),
            ("fields: [{name: a, scan: yes}]", "unknown key \"scan\""),
            ("fields: [{name: a}, {name: a}]", "card.yaml:1:21: two fields are called \"a\"; rename one"),
            ("fields: [{name: a}]\nkeep: 0y", "card.yaml:2:7: keep: \"0y\" is out of range; give 1y to 100y"),
            ("fields: [{name: a}]\nkeep: 99999999999999999999y", "give a time such as 90d or 1y"),
            ("fields: [{name: a}]\nkeep: 5s", "give a time such as 90d or 1y"),
            (
                "fields: [{name: a}]\nlanguages: {de: {fields: {bcd: B}}}",
                "card.yaml:2:12: de: \"bcd\" is neither a field nor a side; remove it"
            ),
            ("fields: [{name: a, pattern: \"(\"}]", "card.yaml:1:29: pattern: \"(\""),
            ("fields: {name: a}", "card.yaml:1:9: fields: is a list; begin each entry with a dash"),
        ])
    func mistakes(text: String, message: String) throws {
        let found = errors(text)
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
    }

    @Test func `The name of a file is that of a collection of the backend`() {
        for name in ["a b", "-a", "_a", "é", String(repeating: "a", count: 65)] {
            let found = errors("fields: [{name: a}]", name: name)
            #expect(found.count == 1 && found[0].contains("is not the name of a kind"), "\(found)")
        }
    }

    // MARK: Hostile files

    @Test(
        "A file that would exhaust the stack, the memory or the time is refused", .timeLimit(.minutes(5)),
        arguments: [
            String(repeating: "[", count: 100_000), "fields: " + String(repeating: "[", count: 120),
            "fields:\n" + String(repeating: "- ", count: 32_000),
            "fields:\n" + (0..<65).map { "- name: s\($0)\n" }.joined(),
            "sides: [" + (0..<33).map { "s\($0)," }.joined() + "]",
            "fields: &a [*a]", "fields: [&a {name: *a}]", "fields: [{name: a, from: {side: {side: {side: a}}}}]",
            "fields:\n- name: \"" + String(repeating: "x", count: 60_000) + "\"",
            String(repeating: "é", count: 30_000), String(repeating: "x", count: 70_000), "\u{0}", "fields: [\u{1}]",
        ])
    func exhausting(text: String) {
        #expect(throws: CaptureError.self) { try Self.read(text) }
    }

    @Test("Reading a shipped kind with random damage never traps, and each error is on one line")
    func mutations() throws {
        let original = [UInt8](try Data(contentsOf: URL(filePath: Self.folder + "/loyalty-card.yaml")))
        var generator = SplitMix(3)
        for _ in 0..<400 {
            do throws(CaptureError) {
                _ = try RecordKindFile(path: "s.yaml", bytes: original.mutated(&generator))
            } catch {
                #expect(error.code == .configuration)
                #expect(error.description.split(separator: "\n").allSatisfy { $0.hasPrefix("s.yaml:") })
            }
        }
    }

    // MARK: The library

    @Test func `The first file of a name is used, and a file with mistakes is listed with them`() throws {
        let folder = try TemporaryFolder()
        try folder.write("gst-capture/records/card.yaml", "fields: [{name: mine}]")
        try folder.write("pipelines/records/card.yaml", "fields: [{name: other}]")
        try folder.write("pipelines/records/bad.yaml", "fields: 1")
        let library = RecordKindLibrary(
            PresetSurroundings(workingFolder: folder.path, configurationHome: folder.path))
        #expect(library.entries.map(\.name) == ["bad", "card"])
        #expect(library.kinds.map(\.fields[0].name) == ["mine"])
        #expect(throws: CaptureError.self) { try library.entries[0].file.get() }
        let error = #expect(throws: CaptureError.self) { try library.file("cart") }
        #expect(error?.code == .noInput && error?.advice == "did you mean card?")
        #expect(try library.file("pipelines/records/card.yaml").kind.fields[0].name == "other")
    }

    // MARK: The shipped kinds

    @Test func `The shipped kinds are valid, have German texts, and name stages of shipped sessions`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
        #expect(names == ["id-card.yaml", "loyalty-card.yaml", "post.yaml"])
        for name in names {
            let file = try RecordKindFile(path: Self.folder + "/" + name)
            let kind = file.kind
            #expect(file.text.contains("gst-capture records create \(kind.id) "))
            let labels = try #require(kind.languages["de"]).labels
            #expect(Set(labels.keys) == Set(kind.fields.map(\.name) + kind.sides.map(\.name)))
            for side in kind.sides {
                guard let session = side.session else { continue }
                let stages = try SessionFile(path: "\(ShippedSessions.folder)/\(session).yaml").session.stages
                #expect(stages.contains { $0.name == side.stage })
            }
        }
    }
}
