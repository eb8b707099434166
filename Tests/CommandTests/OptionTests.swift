// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import PresetKit
import Testing

@Suite("Options and settings")
struct OptionTests {
    @Test("Each setting is an option of a capture, and each such option is a setting")
    func table() async throws {
        let help = try await Command().run("--experimental-dump-help")
        let tool = try JSONDecoder().decode(Tool.self, from: help.output)
        let names: Set = ["snap", "timelapse", "preview", "record"]
        let captures = tool.command.subcommands?.filter { names.contains($0.commandName) } ?? []
        let options = Set(captures.flatMap { $0.arguments ?? [] }.compactMap(\.longName))
        let own: Set = ["check", "json", "quiet", "dry-run", "help", "version", "preset", "control"]
        let session = tool.command.subcommands?.first { $0.commandName == "session" }
        let run = session?.subcommands?.first { $0.commandName == "run" }?.arguments ?? []
        let sessionOptions = Set(run.compactMap(\.longName))
        let settings = Set(Setting.all.filter { $0.section != .session }.compactMap(\.option))
        #expect(options.subtracting(own) == settings)
        let ofSessions = Set(Setting.all.filter { $0.section == .session }.compactMap(\.option))
        #expect(sessionOptions.subtracting(own).subtracting(settings) == ofSessions)
    }

    private struct Tool: Decodable {
        let command: Command

        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            let kind: String
            let names: [Name]?

            var longName: String? {
                names?.first { $0.kind == "long" && !$0.name.hasPrefix("no-") }?.name
            }
        }

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }
}
