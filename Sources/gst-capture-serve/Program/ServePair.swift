// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import Glibc
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
        let configuration = try await ServeRun.read(config, [])
        let ports = configuration.addresses.filter { if case .port = $0 { true } else { false } }
        guard case .port(let host, let port)? = ports.first(where: { !$0.isLocal }) ?? ports.first, port > 0 else {
            throw CaptureError(.usage, "the configuration has no fixed port", advice: "give --url")
        }
        let isAny = ["0.0.0.0", "::"].contains(host)
        let name = configuration.safety.hosts.first ?? (isAny ? NetworkAddress.first ?? "localhost" : host)
        let link = ListenAddress.port(host: name, port: port).description
        return configuration.safety.tls == nil ? link : "https" + link.dropFirst("http".count)
    }
}

/// The addresses of this machine.
private enum NetworkAddress {
    /// The first IPv4 address that other machines can reach; `nil` if there is none (`getifaddrs(3)`).
    static var first: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let address = entry.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            guard inet_ntop(AF_INET, &number, &text, socklen_t(text.count)) != nil else { continue }
            return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        }
        return nil
    }
}
#endif
