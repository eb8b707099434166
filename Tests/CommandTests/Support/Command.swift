// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// Runs the built command in an empty folder.
struct Command: ~Copyable {
    /// The working folder, which is removed with this value.
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gst-capture-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the command to its end.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> RunningCommand.Outcome {
        try await RunningCommand(arguments, in: folder, environment: environment).outcome()
    }

    /// Starts the command.
    func start(_ arguments: String..., environment: [String: String] = [:]) throws -> RunningCommand {
        try RunningCommand(arguments, in: folder, environment: environment)
    }

    /// The names of all files, hidden ones too, in order, without the folder of a ledger.
    func files() throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        return all.filter { !$0.split(separator: "/").contains(".gst-capture") }
    }

    /// The bytes of a file.
    func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
}

extension Data {
    var isJPEG: Bool { prefix(3) == Data([0xFF, 0xD8, 0xFF]) && suffix(2) == Data([0xFF, 0xD9]) }
    var isPNG: Bool { prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) }
}
