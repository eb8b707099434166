// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import ServiceKit

/// Prints a link that pairs one browser.
struct ServePair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Print a link that gives one browser a token.")

    @Argument var config: String?
    @Option var role = Role.view
    @Option var name = "paired"
    @Option var url: String?
    @Option var state: String?

    func run() async throws {
        let (name, role, secret) = (name, role, TokenSecret.pairing())
        try await Serve.reporting { () async throws(CaptureError) in
            let base = try await base()
            let file = try StateFolder.tokens(state)
            _ = try await BlockingWork.run { () throws(CaptureError) in
                try file.update { table throws(CaptureError) in
                    try table.offer(secret, name: name, role: role, at: .now())
                }
            }
            let link = "\(base)/pair/\(secret.text)"
            print(link)
            if let picture = QRCode.terminal(link) { print(picture) }
            let minutes = TokenTable.pairingSeconds / 60
            StandardError.line(
                "notice: the link gives one browser the role \(role.rawValue), within \(minutes) minutes")
        }
    }

    /// Returns the address of the service for other machines, if it has one.
    private func base() async throws(CaptureError) -> String {
        if let url {
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), url.utf8.count <= 200 else {
                throw CaptureError(
                    .usage, "\(url.quoted) is not a link", subject: "--url",
                    advice: "give one such as http://camera.local:8080")
            }
            return url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        guard let base = ServiceLink.base(try await ServeRun.read(config, [])) else {
            throw CaptureError(.usage, "the configuration has no fixed port", advice: "give --url")
        }
        return base
    }
}
#endif
