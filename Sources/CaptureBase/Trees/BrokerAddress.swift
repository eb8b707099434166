// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The address of an MQTT broker: `mqtt://HOST`, or `mqtts://HOST` for TLS, both with `:PORT` if it is not the usual one.
package struct BrokerAddress: Sendable, Hashable {
    /// The name or the address of the broker.
    package let host: String
    package let port: Int
    /// `true` to connect with TLS.
    package let isTLS: Bool

    /// Reads an address.
    package init(_ text: String) throws(InvalidValue) {
        let wrong = InvalidValue(
            "broker: \(text.quoted) is not the address of a broker", advice: "give one such as mqtts://home.local:8883")
        isTLS = text.hasPrefix("mqtts://")
        guard isTLS || text.hasPrefix("mqtt://") else { throw wrong }
        let rest = text.dropFirst(isTLS ? 8 : 7)
        let isAddress6 = rest.hasPrefix("[")
        let end = isAddress6 ? rest.firstIndex(of: "]") : rest.firstIndex(of: ":") ?? rest.endIndex
        guard let end else { throw wrong }
        let host = isAddress6 ? rest[rest.index(after: rest.startIndex)..<end] : rest[..<end]
        let after = isAddress6 ? rest[rest.index(after: end)...] : rest[end...]
        let characters = host.utf8.allSatisfy { byte in
            byte.isWordCharacter || byte == UInt8(ascii: ".") || isAddress6 && byte == UInt8(ascii: ":")
        }
        guard (1...253).contains(host.utf8.count), characters, after.isEmpty || after.hasPrefix(":") else {
            throw wrong
        }
        self.host = String(host)
        guard !after.isEmpty else {
            port = isTLS ? 8883 : 1883
            return
        }
        let digits = after.dropFirst()
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isDigit), let number = Int(digits),
            (1...65535).contains(number)
        else { throw wrong }
        port = number
    }

    /// Reads the first levels of topics: words without wildcards, with `/` between them.
    package static func topic(_ text: String) throws(InvalidValue) -> String {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = levels.allSatisfy { level in
            !level.isEmpty && level.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: ".") }
        }
        guard isPlain, text.utf8.count <= 128 else {
            throw InvalidValue("\(text.quoted) is not a topic", advice: "give one such as gst-capture/garden")
        }
        return text
    }
}
