// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PresetKit

/// An address at which a service listens: a port of this machine, or a Unix socket.
public enum ListenAddress: Sendable, Hashable {
    /// A TCP port of an address of this machine. Port 0 is a free port, which the system chooses.
    case port(host: String, port: Int)
    /// A Unix socket. Its owner and its group may connect.
    case unix(path: String)

    /// Port 8080 of this machine alone.
    public static let standard = ListenAddress.port(host: "127.0.0.1", port: 8080)

    /// The maximum length of a Unix socket's path, in bytes (`sockaddr_un`).
    private static let mostPathBytes = 107

    /// Reads `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`, `0.0.0.0:8080` or `unix:/run/serve.sock`.
    ///
    /// - Throws: `CaptureError` `.usage` if the text is no address.
    public init(parsing text: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try Self.read(text)
        } catch {
            throw CaptureError(.usage, error, subject: "--listen")
        }
    }

    static func read(_ text: String) throws(InvalidValue) -> ListenAddress {
        if text.hasPrefix("unix:") { return try unix(String(text.dropFirst(5))) }
        guard let colon = text.lastIndex(of: ":"), let port = number(text[text.index(after: colon)...]) else {
            throw InvalidValue(
                "\(text.quoted) is not an address", advice: "give one such as 127.0.0.1:8080 or unix:/run/serve.sock")
        }
        let name = text[..<colon]
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        let host = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
        guard isAddress(host, isBracketed: isBracketed) else {
            throw InvalidValue(
                "\(text.quoted) is not an address of a machine",
                advice: "give localhost or a number such as 127.0.0.1, 0.0.0.0 or [::1]; hosts: is for names")
        }
        return .port(host: host, port: port)
    }

    private static func unix(_ path: String) throws(InvalidValue) -> ListenAddress {
        guard path.hasPrefix("/"), path.utf8.count <= mostPathBytes, !path.utf8.contains(0) else {
            throw InvalidValue(
                "\(path.quoted) is not the path of a socket",
                advice: "give an absolute path of at most \(mostPathBytes) bytes")
        }
        return .unix(path: path)
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), let number = Int(text) else {
            return nil
        }
        return (0...65535).contains(number) ? number : nil
    }

    private static func isAddress(_ host: String, isBracketed: Bool) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        if isBracketed { return inet_pton(AF_INET6, host, &six) == 1 }
        return host == "localhost" || inet_pton(AF_INET, host, &four) == 1
    }

    /// `true` for a Unix socket.
    public var isSocket: Bool { if case .unix = self { true } else { false } }

    /// `true` if only this machine can reach the address: a Unix socket, `localhost`, the network 127.0.0.0/8 or `::1`.
    public var isLocal: Bool {
        guard case .port(let host, _) = self else { return true }
        if host == "localhost" { return true }
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { bytes in bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The address as a link, or as the path of a socket.
    public var description: String {
        switch self {
        case .port(let host, let port): "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
