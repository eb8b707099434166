// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// One run of the lab: a machine that was booted once and did all steps of `Scripts`.
struct LabRun: Sendable {
    /// Why there is no run.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The run that all tests judge. The first test that asks for it waits for the machine, and so do the others.
    ///
    /// `CAMERA_LAB_RESULTS` names the folder of a run that is over: `make test` does it ahead, since tests that keep
    /// the time and a machine that is emulated disturb each other.
    static let shared = Task {
        if let folder = ProcessInfo.processInfo.environment["CAMERA_LAB_RESULTS"] {
            return LabRun(folder: URL(fileURLWithPath: folder))
        }
        return try await boot()
    }

    /// A folder for each step.
    let folder: URL

    /// What came of a step.
    func step(_ name: String) throws -> LabStep {
        try LabStep(folder: folder.appendingPathComponent(name))
    }

    private static func boot() async throws -> LabRun {
        let products = try productsFolder()
        let folder = products.appendingPathComponent("lab")
        let outcome = try await Program.run(
            script.path, [folder.path, products.appendingPathComponent("gst-capture").path])
        guard outcome.status == 0 else {
            throw Failure(description: "the lab ended with status \(outcome.status): \(outcome.error)")
        }
        return LabRun(folder: folder)
    }

    private static var script: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scripts/run")
    }

    /// Where the command was built: beside the program that runs the tests.
    private static func productsFolder() throws -> URL {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent()
    }
}
