// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// The address at which browsers reach a service through a proxy, such as `https://example.org/cam`.
public struct PublicAddress: Sendable, Hashable {
    /// `true` for `https`.
    public let isTLS: Bool
    /// The host in lower case; an IPv6 address has brackets.
    public let host: String
    /// The port; `nil` for that of the scheme.
    public let port: Int?
    /// The path that the proxy removes, such as `/cam`; empty if it serves the service at its root.
    public let path: String

    private static let mostBytes = 200

    /// Reads `https://example.org/cam/`.
    ///
    /// - Throws: `InvalidValue` without a place if the text is not such an address.
    package init(parsing text: String) throws(InvalidValue) {
        guard let match = text.wholeMatch(of: /(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?(\/.*)?/),
            text.utf8.count <= Self.mostBytes, let path = Self.path(match.output.4 ?? "")
        else {
            throw InvalidValue(
                "\(text.quoted) is not the address of a web page",
                advice: "give one such as https://example.org or https://example.org/cam/")
        }
        (isTLS, host, self.path) = (match.output.1 == "https", match.output.2.lowercased(), path)
        let port = try match.output.3.map { text throws(InvalidValue) in
            guard let port = Int(text.dropFirst()), (1...65535).contains(port) else {
                throw InvalidValue("\(text.dropFirst()) is not a port", advice: "give 1 to 65535")
            }
            return port
        }
        self.port = port == (isTLS ? 443 : 80) ? nil : port
    }

    /// Returns a path without the slash at its end; `nil` if a browser would change it, or a cookie could not have it.
    private static func path(_ text: Substring) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let names = parts.last == "" ? parts.dropLast() : parts
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && name != "." && name != ".."
                && name.utf8.allSatisfy { $0.isWordCharacter || "-.~".utf8.contains($0) }
        }
        return isPlain ? names.map { "/\($0)" }.joined() : nil
    }

    /// The host, with its port if that is not the scheme's.
    public var authority: String { host + (port.map { ":\($0)" } ?? "") }

    /// The origin, as browsers send it.
    public var origin: String { (isTLS ? "https://" : "http://") + authority }
}

extension PublicAddress: CustomStringConvertible {
    /// The address without the slash at its end.
    public var description: String { origin + path }
}
