// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import TerminalKit

/// Checks the machine, and reports problems with their remedies.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems on this machine, and print remedies.",
        discussion: """
            Checks for a second copy of gst-capture, GStreamer and its elements, fonts, cameras and permissions, the folder for pictures, presets, the \
            clock and the machine's health. The exit status is 0 if captures have all that they need, otherwise that of \
            the first failure.

            Examples:
              gst-capture doctor
              gst-capture doctor --camera /dev/video0 -o /srv/pictures
              gst-capture doctor --json
            """
    )

    @Option(name: .shortAndLong, help: "A camera that must be connected.", completion: .cameras)
    var camera: String?

    @Option(name: .shortAndLong, help: "The folder for pictures.", completion: .directory)
    var output = "."

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async throws {
        let terminal = Terminal(.output)
        var failure: HealthCheck?
        await check { check in
            StandardStream.output.line(json ? check.json.text : check.text(for: terminal))
            if check.outcome == .failure, failure == nil { failure = check }
        }
        if let failure { throw ExitStatus(code: failure.code.exitStatus) }
    }

    /// Runs the checks one after the other, and reports each result at once, because some drivers are slow.
    private func check(_ report: (HealthCheck) -> Void) async {
        if let check = HealthCheck.copies() { report(check) }
        HealthCheck.gstreamer().forEach(report)
        report(await HealthCheck.jpeg())
        report(await HealthCheck.video())
        report(await HealthCheck.sound())
        report(await HealthCheck.text())
        report(HealthCheck.permissions())
        await HealthCheck.cameras(needed: camera).forEach(report)
        HealthCheck.disk(output).forEach(report)
        HealthCheck.presets().forEach(report)
        report(HealthCheck.clock())
        if let check = HealthCheck.throttling() { report(check) }
    }
}
