// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("The window of a session", .ownThread, .timeLimit(.minutes(5)))
struct SessionWindowTests {
    /// The color of the button that continues.
    private static let amber = [255, 204, 64]

    /// Waits for the button that continues, and clicks on it.
    private func proceed(_ display: Display, _ window: String) async throws {
        var place: (x: Double, y: Double)?
        try await display.awaitPicture(of: window) { picture in
            place = picture.center(of: Self.amber, below: 0.7)
            return place != nil
        }
        let (x, y) = try #require(place)
        try display.click(x, y, in: window)
    }

    @Test(
        "A session is begun, captured and accepted with its buttons alone, and a click on a picture shows it larger",
        arguments: Desktop.allCases)
    func buttons(desktop: Desktop) async throws {
        let command = try Command()
        let running = try RunningDesktop(desktop, in: command.folder, width: 640, height: 360)
        let display = running.display
        let stages = "stages: [{name: one}, {name: two}]\n"
        try command.write("countdown: 200ms\nnext-stages: trigger\n" + stages, to: "two.yaml")
        let process = try RunningCommand(
            [
                "session", "run", "two.yaml", "--camera", "scene", "--width", "640", "--height", "360", "-o", "out",
                "--json",
            ], in: command.folder, environment: running.environment)
        _ = try await process.event("previewing")
        let window = try running.window()
        try await proceed(display, window)
        #expect(try await process.event("captured").object("picture")?["stage"] == "one")
        while try await process.event("phase")["phase"] != "armed" {}
        try await proceed(display, window)
        #expect(try await process.event("captured").object("picture")?["stage"] == "two")
        _ = try await process.event("review")
        // Between the two pictures is black; a picture that is shown alone is there.
        let black = [0, 0, 0]
        try await display.awaitPicture(of: window) { $0.color(0.5, 0.35) == black && $0.color(0.6, 0.35) != black }
        try display.click(0.75, 0.35, in: window)
        try await display.awaitPicture(of: window) { $0.color(0.5, 0.35) != black }
        // Beside the point that is looked at: Wayland's pointer is part of the picture.
        try display.click(0.25, 0.35, in: window)
        try await display.awaitPicture(of: window) { $0.color(0.5, 0.35) == black && $0.color(0.6, 0.35) != black }
        try await proceed(display, window)
        #expect(await process.outcome().status == 0)
    }
}
