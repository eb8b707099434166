// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The address of a network camera, such as `http://192.0.2.10:81/stream`.
package struct NetworkAddress: Sendable, Hashable {
    /// The scheme in lowercase, such as `http` or `rtsp`.
    package let scheme: String
    package let host: String
    package let port: Int
    /// The path with its query, from `/`.
    package let path: String
    /// The name and the password in the address, decoded, as `name:password`; `nil` for none.
    package let credentials: String?

    /// The default ports of the schemes.
    private static let ports = [
        "http": 80, "https": 443, "rtsp": 554, "rtspt": 554, "rtspu": 554, "rtsph": 554, "rtsps": 322, "rtmp": 1935,
        "tcp": 0,
    ]

    /// Reads the address of a network camera; `nil` if the text is not such an address.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let scheme = parts[0].lowercased()
        guard let standard = Self.ports[scheme] else { return nil }
        let authority = parts[1].prefix { !"/?#".contains($0) }
        let rest = parts[1][authority.endIndex...].prefix { $0 != "#" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard let (host, port) = Self.place(place, standard) else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port)
        path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        credentials = authority.lastIndex(of: "@").map { Self.decoded(authority[..<$0]) }
    }

    /// Creates the address of a TCP server.
    package init(host: String, port: Int) {
        (scheme, self.host, self.port, path, credentials) = ("tcp", host, port, "/", nil)
    }

    private static func place(_ text: Substring, _ standard: Int) -> (host: String, port: Int)? {
        let (host, port): (Substring, Substring)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...].drop { $0 == ":" }
        } else {
            host = text.prefix { $0 != ":" }
            port = text[host.endIndex...].drop { $0 == ":" }
        }
        guard !host.isEmpty, !host.utf8.contains(where: { $0 <= 32 }), let number = port.isEmpty ? standard : Int(port),
            (0...65535).contains(number)
        else { return nil }
        return (String(host), number)
    }

    /// Decodes `%40` and the like.
    private static func decoded(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address without secrets.
    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        let port = port == Self.ports[scheme] ? "" : ":\(port)"
        return "\(scheme)://\(host)\(port)\(scheme == "tcp" ? "" : path)".withoutSecrets
    }
}
