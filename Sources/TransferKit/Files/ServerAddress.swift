// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The address of a folder at a server.
struct ServerAddress: Sendable {
    /// The scheme, the host and the port, such as `https://host:8443`.
    let server: String
    /// The path, percent-encoded, without a slash at its end; empty for the root.
    let path: String
    /// The query with its question mark; empty without a query.
    private let query: String

    /// - Throws: `CaptureError` if the address has another scheme, a user, a fragment or a folder `..`.
    init(_ text: String, schemes: [String]) throws(CaptureError) {
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0 + "://") }) else {
            throw Self.wrong(text, "does not begin with \(schemes.map { $0 + "://" }.alternatives)")
        }
        let rest = text.dropFirst(scheme.count + 3)
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw Self.wrong(text, "has no host")
        }
        guard !host.contains("@") else {
            throw Self.wrong(text, "contains a user; name the user and the file of the password beside the address")
        }
        let tail = rest.dropFirst(host.count)
        guard !tail.contains("#") else { throw Self.wrong(text, "contains #") }
        let folder = tail.prefix { $0 != "?" }
        let parts = folder.split(separator: "/").map { Self.encoded(String($0), keepsEscapes: true) }
        guard !parts.contains(where: { [".", ".."].contains(Self.decoded($0)) }) else {
            throw Self.wrong(text, "contains a folder named . or ..")
        }
        server = "\(scheme)://\(host)"
        path = parts.map { "/" + $0 }.joined()
        query = Self.encoded(String(tail.dropFirst(folder.count)), keepsEscapes: true, alsoKeeps: "?&=/:;,+@!$'()*")
    }

    /// Returns the address of a file or folder.
    ///
    /// - Parameter name: A relative path of safe characters.
    func url(_ name: String) -> String { "\(server)\(path)/\(name)\(query)" }

    /// The address of each folder on the path, from the outermost, and then of the folders below the address.
    func folders(_ below: [String]) -> [String] {
        var (folder, all) = (server, [String]())
        for part in path.split(separator: "/").map(String.init) + below {
            folder += "/" + part
            all.append(folder + "/" + query)
        }
        return all
    }

    /// The path without percent-encoding.
    var decodedPath: String { Self.decoded(path) }

    private static func wrong(_ address: String, _ message: String) -> CaptureError {
        CaptureError(.configuration, message, subject: address)
    }

    /// Returns the text with `%` and two digits in place of all bytes but letters, digits, `-`, `.`, `_` and `~`.
    ///
    /// - Parameters:
    ///   - keepsEscapes: Keeps `%` if two hexadecimal digits follow.
    ///   - alsoKeeps: Other characters that are kept.
    static func encoded(_ text: String, keepsEscapes: Bool = false, alsoKeeps: String = "") -> String {
        let (bytes, kept) = (Array(text.utf8), Set((alsoKeeps + ".~").utf8))
        var output: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                keepsEscapes && byte == UInt8(ascii: "%") && index + 2 < bytes.count
                && bytes[index + 1].isHexadecimalDigit && bytes[index + 2].isHexadecimalDigit
            if byte.isWordCharacter || kept.contains(byte) || isEscape {
                output.append(byte)
            } else {
                output += Array("%\(byte.padded(to: 2, radix: 16).uppercased())".utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func decoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (output, index) = ([UInt8](), 0)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                output.append(byte)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
#endif
