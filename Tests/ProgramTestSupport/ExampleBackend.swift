// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// `Examples/backend/backend.py`, a backend of records.
package final class ExampleBackend {
    /// The address of its bucket.
    package let address: String
    /// The file of its token.
    package let secrets: String
    private let folder: String
    private var process: ChildProgram

    private static let program = String(#filePath.split(separator: "/Tests/")[0]) + "/Examples/backend/backend.py"

    package init(in parent: URL) throws {
        (folder, secrets) = (parent.path + "/backend", parent.path + "/secrets")
        // The backend refuses a file that other users can read.
        let isWritten = FileManager.default.createFile(
            atPath: secrets, contents: Data("token-of-all-boards\n".utf8), attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
        (process, address) = try Self.start(folder, secrets, port: "0")
    }

    deinit { process.send(SIGKILL) }

    /// Ends the backend: its clients are offline.
    package func stop() async {
        process.send(SIGKILL)
        _ = await process.status()
    }

    /// Starts the backend again at its address.
    package func restart() throws {
        let port = URL(string: address)?.port ?? 0
        (process, _) = try Self.start(folder, secrets, port: "\(port)")
    }

    private static func start(
        _ folder: String, _ secrets: String, port: String
    ) throws -> (ChildProgram, address: String) {
        let output = Pipe()
        let process = try ChildProgram(
            ["python3", "-u", program, folder, "--secrets", secrets, "--port", port], output: .pipe(output))
        let address = try #require(try output.line().firstMatch(of: /http:\S*/)?.output)
        return (process, String(address))
    }
}
