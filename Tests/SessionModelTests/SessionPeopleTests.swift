// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import SessionModel

@Suite("Consent, fields and languages of a session's file")
struct SessionPeopleTests {
    private func session(_ text: String) throws -> SessionDescription {
        try SessionFile(path: "club.yaml", bytes: Array(text.utf8)).session
    }

    private static let club = """
        consent:
          text: Your picture becomes part of the members' book.
          retention: 30d
        fields:
          - name: name
            label: Your name
            required: yes
          - name: number
            kind: number
            pattern: "[0-9]{4}"
          - name: size
            choices: [S, M, L]
        idle: 45s
        loop: yes
        share: 10m
        language: en
        stages:
          - name: body_front
            title: From the front
            prompt: Look into the camera
          - name: face
            start: trigger
        languages:
          de:
            title: Der Verein
            consent: Dein Bild kommt in das Mitgliederbuch.
            fields: {name: Dein Name}
            stages:
              body_front: {title: Von vorn, prompt: Schau in die Kamera}
              face: Komm näher
        """

    @Test("A file describes the consent, the fields, and the limits of a kiosk")
    func keys() throws {
        let session = try session(Self.club)
        #expect(session.consent?.retention == .seconds(30 * 86400))
        #expect(session.form.map(\.name) == ["name", "number", "size"])
        #expect(session.form.map(\.kind) == [.text, .number, .choice] && session.form[0].isRequired)
        #expect(session.idle == .seconds(45) && session.loops && session.sharing == .seconds(600))
        #expect(session.stages[0].title == "From the front" && session.stages[1].start == .trigger)
        #expect(session.start(of: 0) == .trigger && session.start(of: 1) == .trigger)
    }

    @Test("A consent can be a text alone")
    func shortConsent() throws {
        let session = try session("consent: You agree\nstages: [name: a]")
        #expect(session.consent == SessionConsent("You agree"))
    }

    @Test("A session is translated, also to a regional tag; missing texts stay", arguments: ["de", "de-AT", "DE_at"])
    func translation(tag: String) throws {
        let german = try session(Self.club).translated(to: tag)
        #expect(german.title == "Der Verein" && german.stages[0].title == "Von vorn")
        #expect(german.consent?.text == "Dein Bild kommt in das Mitgliederbuch.")
        #expect(german.form.map(\.label) == ["Dein Name", nil, nil])
        #expect(german.stages[1].prompt == "Komm näher" && german.stages[1].title == nil)
        #expect(german.consent?.retention == .seconds(30 * 86400))
    }

    @Test("A session without texts in a language stays as it is")
    func otherLanguage() throws {
        let session = try session(Self.club)
        #expect(session.translated(to: "fr") == session && session.allLanguages == ["en", "de"])
    }

    @Test(
        "Mistakes in the keys for strangers are reported with their place",
        arguments: [
            ("consent: {retention: 30d}", "consent has no text; add text:"),
            ("fields: [kind: text]", "a field has no name; add name:"),
            ("fields: [{name: a, kind: choice}]", "a: has no choices; add choices:"),
            (
                "fields: [{name: a, pattern: '['}]",
                #"pattern: "[" does not close a class; add ]"#
            ),
            ("languages: [de]", "languages: is a mapping; write name: value, one a line"),
            ("languages: {d!: {title: a}}", #""d!" is not a language; give a tag such as de or pt-br"#),
            ("languages: {de: {titel: a}}", #"unknown key "titel"; did you mean "title"?"#),
            ("idle: 1s", #"idle: "1s" is too short; give 5s or more"#),
            ("idle: 2h", #"idle: "2h" is too long; give 1h or less"#),
            ("share: forever", #"share: "forever" is not a time; give one such as 500ms, 5s, 2m, 1h30m or 1d"#),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: CaptureError.self) { try session("\(text)\nstages: [name: a]") }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.code == .configuration)
    }

    @Test("Two fields of one name are refused")
    func twice() {
        let error = #expect(throws: CaptureError.self) {
            try session("fields: [{name: a}, {name: a}]\nstages: [name: a]")
        }
        #expect(error?.description.contains(#"two fields are called "a"; rename one"#) == true)
    }

    @Test("Values of fields are checked, trimmed, and empty ones left out")
    func values() throws {
        let session = try session(Self.club)
        #expect(
            try session.checkedForm(["name": " Ada ", "number": "0042", "size": ""]) == [
                "name": "Ada", "number": "0042",
            ])
        #expect(try session.checkedForm(["size": "M"], isComplete: false) == ["size": "M"])
    }

    @Test(
        "Values that do not fit a field are refused, with its label",
        arguments: [
            ([:], "Your name: is required"), (["name": " "], "Your name: is required"),
            (["name": "a", "number": "12a4"], #"number: "12a4" is not a number"#),
            (["name": "a", "number": "12345"], #"number: "12345" does not have the right form"#),
            (["name": "a", "size": "XL"], #"size: "XL" is not a choice; use one of S, M, L"#),
            (["name": "a\nb"], "Your name: contains a control character"),
            (["name": String(repeating: "a", count: 1001)], "Your name: is longer than 1000 bytes"),
            (["name": "a", "nmae": "b"], "nmae: is not a field of this session; use one of name, number, size"),
        ] as [([String: String], String)])
    func wrongValues(values: [String: String], message: String) throws {
        let session = try session(Self.club)
        let error = #expect(throws: CaptureError.self) { try session.checkedForm(values) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }
}

@Suite("A session for strangers")
struct SessionIdleTests {
    private func drive(
        _ change: (inout SessionDescription) -> Void = { _ in }, endsUnbegun: Bool = false
    ) throws -> SessionDrive {
        var plan = SessionMachine.Plan(usualCamera: .back)
        plan.endsUnbegun = endsUnbegun
        var drive = try SessionDrive(
            .three {
                $0.idle = .seconds(60)
                $0.stages[2].isSkippable = true
                change(&$0)
            }, plan)
        drive(.begin, .cameraReady(.back))
        return drive
    }

    /// Lets the time of the idle limit pass.
    private func pass(_ drive: inout SessionDrive) throws -> [SessionMachine.Effect] {
        drive.now = try #require(drive.machine.idleEnd)
        return drive(.idle)
    }

    @Test("Consent comes first, then the fields, then the tutorial")
    func order() throws {
        var form = FormField(name: "name")
        form.isRequired = true
        var drive = try drive { [form] in
            ($0.consent, $0.form) = (SessionConsent("You agree"), [form])
            $0.tutorial = [TutorialPage("Stand still")]
        }
        drive(.trigger)
        #expect(drive.machine.phase == .consent)
        #expect(drive(.skip) == [.emit(.refused(.notBegun))])
        drive(.trigger)
        #expect(drive.machine.phase == .form && drive.machine.progress.hasConsent)
        #expect(drive(.trigger) == [.emit(.refused(.fieldsMissing))])
        drive(.fill(["name": "Ada"]), .trigger)
        #expect(drive.machine.phase == .tutorial(page: 0) && drive.machine.progress.form == ["name": "Ada"])
    }

    @Test("Fields that are known before are not asked for, and a resumed session keeps consent and fields")
    func known() throws {
        var drive = try drive { ($0.consent, $0.form) = (SessionConsent("You agree"), [FormField(name: "name")]) }
        drive(.fill(["name": "Ada"]), .trigger, .trigger)
        #expect(drive.machine.phase.stage == 0)
        var resumed = try SessionDrive(drive.machine.session, from: drive.machine.progress)
        resumed(.begin, .trigger)
        #expect(resumed.machine.phase.stage == 0)
    }

    @Test("A person who does not agree leaves nothing")
    func declined() throws {
        var drive = try drive { $0.consent = SessionConsent("You agree") }
        drive(.trigger, .cancel)
        #expect(drive.machine.phase == .cancelled && drive.effects.last == .end(.cancelled))
    }

    @Test("A stage with a separate start waits, also if the session's stages begin by themselves")
    func ownStart() throws {
        var drive = try drive { $0.stages[1].start = .trigger }
        drive(.trigger)
        drive.picture()
        drive.advance()
        #expect(drive.machine.phase == .armed(stage: 1, .trigger))
    }

    @Test("An idle session is canceled, and its pictures are removed")
    func idle() throws {
        var drive = try drive { $0.nextStages = .trigger }
        drive(.trigger)
        drive.picture()
        drive.advance()
        let effects = try pass(&drive)
        #expect(effects.first == .emit(.idle) && effects.last == .end(.cancelled))
        #expect(effects.contains { if case .release = $0 { true } else { false } })
        #expect(drive.machine.idleEnd == nil)
    }

    @Test("A countdown is no idle time, and its end begins the time again")
    func counting() throws {
        var drive = try drive()
        drive(.trigger)
        #expect(drive.machine.idleEnd == nil)
        drive.picture()
        drive.advance()
        drive(.abort)
        let end = try #require(drive.machine.idleEnd)
        #expect(end == drive.now + .seconds(60))
        drive.now = drive.now + .seconds(30)
        drive(.trigger, .abort)
        #expect(drive.machine.idleEnd == end + .seconds(30))
    }

    @Test("Gates that time out again and again do not keep a session alive")
    func loopOfGates() throws {
        var gate = GateRequest(.present)
        (gate.limit, gate.expiry) = (.seconds(20), .abort)
        var drive = try drive { [gate] in ($0.gates, $0.abort, $0.start) = ([gate], .retakeStage, .now) }
        let end = try #require(drive.machine.idleEnd)
        for _ in 0..<3 {
            drive.advance()
            #expect(drive.machine.phase.name == "waiting")
        }
        #expect(drive.machine.idleEnd == end)
    }

    @Test("A lost camera does not keep a session alive")
    func lost() throws {
        var drive = try drive { $0.start = .trigger }
        drive(.trigger)
        drive(.cameraLost)
        let end = try #require(drive.machine.idleEnd)
        drive.now = drive.now + .seconds(10)
        drive(.cameraReady(.back), .cameraLost)
        #expect(drive.machine.idleEnd.map { $0 <= end + .seconds(10) } == true)
        _ = try pass(&drive)
        #expect(drive.machine.phase == .cancelled)
    }

    @Test("The inviting screen stays, unless the session is a request of a service")
    func ready() throws {
        #expect(try drive().machine.idleEnd == nil)
        var served = try drive(endsUnbegun: true)
        _ = try pass(&served)
        #expect(served.machine.phase == .cancelled)
    }
}
