// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import SessionModel

@Suite("Every phase of a session and every input")
struct SessionTableTests {
    /// A cell is the next phase, `!` and the reason of a refusal, or `-` if the input has no effect. A digit is the
    /// stage of the next phase.
    private static let tables = [
        """
                  trigger            skip       abort      cancel    switch
        idle      !not-begun         !not-begun !no-stage  cancelled !not-begun
        ready     consent            !not-begun !no-stage  cancelled -
        consent   form               !not-begun !no-stage  cancelled !not-begun
        form      tutorial           !not-begun !no-stage  cancelled !not-begun
        tutorial  waiting0           waiting0   !no-stage  cancelled !not-begun
        switching !switching-camera  switching1 switching0 cancelled -
        armed     waiting0           waiting1   armed0     cancelled switching0
        waiting   !waiting-for-gates waiting1   armed0     cancelled switching0
        counting  !counting          !counting  armed0     cancelled !counting
        capturing !capturing         !capturing armed0     cancelled !capturing
        recording capturing0         !recording armed0     cancelled !recording
        bringing  !bringing          !bringing  armed0     cancelled !bringing
        done      waiting1           !no-stage  armed0     cancelled !no-stage
        review    !in-review         !in-review !no-stage  cancelled !in-review
        accepted  !over              !over      !over      !over     !over
        cancelled !over              !over      !over      !over     !over
        """,
        """
                  bring      retake         angle          stray          accept         discard
        idle      !not-begun !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        ready     !not-begun !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        consent   !not-begun !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        form      !not-begun !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        tutorial  !not-begun !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        switching bringing0  !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        armed     bringing0  !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        waiting   bringing0  !not-in-review !not-in-review !not-in-review !not-in-review !not-in-review
        counting  !counting  !counting      !counting      !counting      !counting      !counting
        capturing !capturing !capturing     !capturing     !capturing     !capturing     !capturing
        recording !recording !recording     !recording     !recording     !recording     !recording
        bringing  !bringing  !bringing      !bringing      !bringing      !bringing      !bringing
        done      !no-stage  waiting0       waiting0       !not-taken     !not-in-review !not-in-review
        review    !in-review switching0     switching0     !not-taken     accepted       cancelled
        accepted  !over      !over          !over          !over          !over          !over
        cancelled !over      !over          !over          !over          !over          !over
        """,
        """
                  begin ready    lost       holds     fails  wake begun taken failed
        idle      ready -        -          -         -      -    -     -     -
        ready     -     -        -          -         -      -    -     -     -
        consent   -     -        -          -         -      -    -     -     -
        form      -     -        -          -         -      -    -     -     -
        tutorial  -     -        -          -         -      -    -     -     -
        switching -     waiting0 -          -         -      -    -     -     -
        armed     -     -        switching0 -         -      -    -     -     -
        waiting   -     -        switching0 counting0 -      -    -     -     -
        counting  -     -        switching0 -         armed0 -    -     -     -
        capturing -     -        switching0 -         -      -    -     done0 armed0
        recording -     -        switching0 -         -      -    -     done0 armed0
        bringing  -     -        -          -         -      -    -     done0 armed0
        done      -     -        -          -         -      -    -     -     -
        review    -     -        -          -         -      -    -     -     -
        accepted  -     -        -          -         -      -    -     -     -
        cancelled -     -        -          -         -      -    -     -     -
        """,
    ]

    private static let inputs: [(name: String, input: SessionMachine.Input)] = [
        ("trigger", .trigger), ("skip", .skip), ("abort", .abort), ("cancel", .cancel), ("switch", .switchCamera),
        ("bring", .bring()), ("retake", .retake(stage: 0)), ("angle", .retake(stage: 0, picture: 1)),
        ("stray", .retake(stage: 0, picture: 9)), ("accept", .accept), ("discard", .discard), ("begin", .begin),
        ("ready", .cameraReady(.back)), ("lost", .cameraLost), ("holds", .gate(.steady, holds: true)),
        ("fails", .gate(.steady, holds: false)), ("wake", .wake),
        ("begun", .begun(picture: 1)), ("taken", .taken(picture: 1)),
        ("failed", .failed(picture: 1, CaptureError(.inputOutput, "no frame came"))),
    ]

    /// The cells of the tables, by phase and input.
    private static let cells: [String: [String: String]] = tables.reduce(into: [:]) { cells, table in
        let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for row in rows.dropFirst() {
            cells[row[0], default: [:]].merge(zip(rows[0], row.dropFirst())) { first, _ in first }
        }
    }

    /// Drives a session into a phase.
    private static func drive(to phase: String) throws -> SessionDrive {
        var drive = try SessionDrive(
            .three {
                $0.gates = [GateRequest(.steady)]
                ($0.consent, $0.form) = (SessionConsent("You agree"), [FormField(name: "name")])
                $0.tutorial = [TutorialPage("Stand still")]
                $0.stages[2].isSkippable = true
                $0.stages[0].clip = phase == "recording" ? .seconds(4) : nil
            })
        if phase == "idle" { return drive }
        drive(.begin, .cameraReady(.back))
        if phase == "ready" { return drive }
        for next in ["consent", "form", "tutorial"] {
            drive(.trigger)
            if phase == next { return drive }
        }
        drive(.trigger)
        if phase == "switching" {
            drive(.switchCamera, .switchCamera)
            return drive
        }
        if phase == "bringing" { drive(.bring()) }
        if phase == "waiting" || phase == "bringing" { return drive }
        drive(.gate(.steady, holds: true))
        if phase == "counting" { return drive }
        if phase == "armed" {
            drive(.abort)
            return drive
        }
        while case .counting = drive.machine.phase { drive.advance() }
        if phase == "capturing" { return drive }
        if phase == "recording" {
            drive(.begun(picture: 1))
            return drive
        }
        if phase == "cancelled" {
            drive(.cancel)
            return drive
        }
        drive.picture()
        if phase == "done" { return drive }
        drive(.trigger, .gate(.steady, holds: true))
        drive.picture()
        drive(.trigger, .skip)
        if phase == "accepted" { drive(.accept) }
        return drive
    }

    private static let phases = cells.keys.sorted()

    @Test("Each input leads to the phase in the table, or is refused with the reason in the table", arguments: phases)
    func table(phase: String) throws {
        for (name, input) in Self.inputs {
            let cell = try #require(Self.cells[phase]?[name])
            var drive = try Self.drive(to: phase)
            let before = drive.machine
            #expect(before.phase.name == phase)
            let effects = drive(input)
            let after = drive.machine
            let reasons = effects.compactMap { effect in
                if case .emit(.refused(let reason)) = effect { "!" + reason.rawValue } else { nil }
            }
            if cell.hasPrefix("!") {
                #expect(reasons == [cell] && effects.count == 1, "\(phase), \(name)")
                #expect(after.phase == before.phase && after.progress == before.progress, "\(phase), \(name)")
            } else {
                let stage = cell.last?.isNumber == true ? after.phase.stage.map(String.init) ?? "" : ""
                let expected = cell == "-" ? before.phase.name : cell
                #expect(reasons.isEmpty && after.phase.name + stage == expected, "\(phase), \(name)")
            }
        }
    }

    @Test("The tables have all phases, and each refusal has an explanation")
    func complete() {
        #expect(Set(Self.phases).count == 16)
        #expect(SessionMachine.Refusal.allCases.allSatisfy { !$0.explanation.isEmpty })
    }
}
