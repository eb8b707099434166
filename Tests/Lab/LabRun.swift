// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// One run of the lab: a machine that booted once and ran all steps of `Scripts`.
struct LabRun: Sendable {
    /// The reason why there is no run.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The run that all tests share. The first test that needs it waits for the machine, and so do the others.
    ///
    /// `CAMERA_LAB_RESULTS` names the folder of a finished run: `make test` runs the lab in advance, since an emulated
    /// machine disturbs tests with time limits, and they disturb the machine.
    static let shared = Task {
        if let folder = ProcessInfo.processInfo.environment["CAMERA_LAB_RESULTS"] {
            return LabRun(folder: URL(fileURLWithPath: folder))
        }
        return try await boot()
    }

    /// A folder for each step.
    let folder: URL

    /// The result of a step.
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

    /// The folder of the built command: the one of the program that runs the tests.
    private static func productsFolder() throws -> URL {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent()
    }
}
