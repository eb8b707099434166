// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import ServiceKit

extension Role: ExpressibleByArgument {}

/// Creates, lists and removes tokens. A running service reloads them at once.
struct ServeToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list and remove tokens.",
        subcommands: [Add.self, List.self, Remove.self], defaultSubcommand: List.self)
}

extension ServeToken {
    struct Add: AsyncParsableCommand {
        @Argument var name: String
        @Option var role = Role.view
        @Option var state: String?

        func run() async throws {
            let (name, role, secret) = (name, role, TokenSecret.token())
            try await Serve.reporting { () async throws(CaptureError) in
                let file = try StateFolder.tokens(state)
                _ = try await BlockingWork.run { () throws(CaptureError) in
                    try file.update { table throws(CaptureError) in
                        try table.add(secret, name: name, role: role, at: .now())
                    }
                }
                StandardError.line("notice: this is the only time that the token is shown")
                print(secret.text)
            }
        }
    }

    struct List: AsyncParsableCommand {
        @Option var state: String?

        func run() async throws {
            try await Serve.reporting { () async throws(CaptureError) in
                let file = try StateFolder.tokens(state)
                let table = try await BlockingWork.run { () throws(CaptureError) in try file.read() }
                for token in table?.tokens ?? [] { print("\(token.name)\t\(token.role.rawValue)\t\(token.created)") }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        @Argument var name: String
        @Option var state: String?

        func run() async throws {
            let name = name
            try await Serve.reporting { () async throws(CaptureError) in
                let file = try StateFolder.tokens(state)
                _ = try await BlockingWork.run { () throws(CaptureError) in
                    try file.update { table throws(CaptureError) in try table.remove(name) }
                }
            }
        }
    }
}

/// The folder with the state of the service.
enum StateFolder {
    /// Returns the token file in a folder; in the standard one for `nil`.
    static func tokens(_ folder: String?) throws(CaptureError) -> TokenFile {
        guard let folder = folder ?? ProgramFolders.state else { throw CaptureError.noStateFolder }
        return TokenFile(folder: folder)
    }
}
#endif
