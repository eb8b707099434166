// Part of gst-capture. Apache License 2.0, see LICENSE.

extension String {
    /// The text without the secrets of addresses and elements, for messages, events and logs: `***` takes the place of
    ///
    /// - the name and the password in an address (`rtsp://***@192.0.2.10/stream`),
    /// - the values of parameters and properties that are secrets by their name (`password=***`, `user-pw=***`), and
    /// - HTTP headers that an element sends (`extra-headers=***`).
    ///
    /// It removes too much rather than too little: a text without `=` and `@` is returned unchanged.
    package var withoutSecrets: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") }) else { return self }
        var redaction = Redaction(self)
        return redaction.run()
    }
}

/// Copies a text, and leaves secrets out.
private struct Redaction {
    private let bytes: [UInt8]
    private var index = 0
    private var output: [UInt8] = []

    /// The names of parameters and properties whose values are secrets, without dashes and underscores.
    private static let names: Set<String> = [
        "password", "passwd", "passphrase", "pass", "pwd", "pw", "psw", "userpw", "proxypw", "loginpas", "loginpass",
        "token", "accesstoken", "secret", "apikey", "streamkey", "auth", "authorization", "sig", "signature",
        "pin", "cookies", "extraheaders", "srtpkey",
    ]

    private static let mask = Array("***".utf8)

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func run() -> String {
        while index < bytes.count {
            if starts("://") {
                copy(3)
                skipUserInfo()
            } else if bytes[index] == UInt8(ascii: "=") {
                copy(1)
                if Self.names.contains(nameBefore()) { skipValue() }
            } else {
                copy(1)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func starts(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func copy(_ count: Int) {
        output += bytes[index..<index + count]
        index += count
    }

    // MARK: Addresses

    /// Skips the name and the password after `://`. A password may contain a slash that is not encoded: then the port is
    /// no number.
    private mutating func skipUserInfo() {
        let rest = bytes[index...].prefix { !Self.endsAddress($0) }
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let end: Int?
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            end = at
        } else if let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            !authority[(colon + 1)...].allSatisfy(\.isDigit), authority.last != UInt8(ascii: "]")
        {
            end = rest.lastIndex(of: UInt8(ascii: "@"))
        } else {
            end = nil
        }
        guard let end else { return }
        output += Self.mask
        index = end
    }

    private static func endsAddress(_ byte: UInt8) -> Bool { byte <= 32 || "\"'<>".utf8.contains(byte) }

    // MARK: Values

    /// The name before the `=` that was copied, in lowercase, without dashes and underscores.
    private func nameBefore() -> String {
        let name = output.dropLast().reversed().drop { $0 == 32 }.prefix { $0.isWordCharacter }.reversed()
        return String(decoding: name, as: UTF8.self).lowercased().filter { $0 != "-" && $0 != "_" }
    }

    /// Skips a value in quotation marks, or up to a space or the next parameter of an address.
    private mutating func skipValue() {
        while index < bytes.count, bytes[index] == 32 { copy(1) }
        guard index < bytes.count else { return }
        let quote = bytes[index]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { copy(1) }
        output += Self.mask
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                index += 2
            } else if isQuoted ? byte == quote : Self.endsAddress(byte) || byte == UInt8(ascii: "&") {
                return
            } else {
                index += 1
            }
        }
    }
}
