// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// How a service protects its addresses. Changes need a restart.
public struct ServiceSafety: Sendable, Equatable {
    /// Names, without ports, by which clients may reach the service besides its addresses.
    public var hosts: [String] = []
    /// The address at which a proxy serves the service; `nil` without a proxy.
    public var address: PublicAddress?
    /// The certificate and key for all TCP addresses; `nil` for HTTP without TLS.
    public var tls: TLSFiles?
    /// The group whose members may use the Unix sockets; `nil` for the group of the process.
    public var socketGroup: String?

    /// Creates the protection of a service without names, TLS and group.
    public init() {}
}

/// The files of a certificate, in PEM.
public struct TLSFiles: Sendable, Equatable {
    /// The path of the certificate, followed by those of its issuers.
    public let certificate: String
    /// The path of the private key.
    public let key: String

    /// Creates the paths.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}

// MARK: - Reading

extension ServiceSafety {
    /// The keys of a configuration that ``read(_:_:)`` reads.
    static let keys = ["hosts", "url", "tls", "socket-group"]

    /// Reads the value of a key.
    mutating func read(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        switch key.text {
        case "hosts": hosts = try Self.hosts(key, value)
        case "url": address = try Self.address(key, value)
        case "tls": tls = try Self.tls(key, value)
        default: socketGroup = try Self.text(key, value, "name a group, such as video")
        }
    }

    private static func hosts(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) -> [String] {
        let nodes = if case .sequence(let nodes, _) = value { nodes } else { [value] }
        guard !nodes.isEmpty, nodes.count <= 32 else {
            throw InvalidValue("\(key.text): must have 1 to 32 names", at: value.place)
        }
        return try nodes.map { node throws(InvalidValue) in
            let name = try text(key, node, "give names such as camera.local").lowercased()
            guard isHostName(name) else {
                throw InvalidValue(
                    "\(key.text): \(name.quoted) is not the name of a host",
                    advice: "give one such as camera.local, without scheme and port", at: node.place)
            }
            return name
        }
    }

    private static func address(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) -> PublicAddress {
        let text = try text(key, value, "give the address of the proxy, such as https://example.org/cam/")
        do throws(InvalidValue) {
            return try PublicAddress(parsing: text)
        } catch {
            throw InvalidValue("\(key.text): \(error.message)", advice: error.advice, at: value.place)
        }
    }

    private static func tls(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) -> TLSFiles {
        let advice = "write certificate: and key: with absolute paths below it"
        guard case .mapping(let pairs, _) = value else {
            throw InvalidValue("\(key.text): is not a section", advice: advice, at: value.place ?? key.place)
        }
        var paths: [String: String] = [:]
        for pair in pairs {
            guard case .scalar(let name) = pair.key, ["certificate", "key"].contains(name.text),
                paths[name.text] == nil
            else {
                throw InvalidValue(
                    "\(key.text): has a key that is unknown or twice", advice: advice, at: pair.key.place)
            }
            let path = try text(name, pair.value, advice)
            guard path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw InvalidValue("\(name.text): \(path.quoted) is not absolute", advice: advice, at: pair.value.place)
            }
            paths[name.text] = path
        }
        guard let certificate = paths["certificate"], let privateKey = paths["key"] else {
            throw InvalidValue("\(key.text): lacks certificate or key", advice: advice, at: key.place)
        }
        return TLSFiles(certificate: certificate, key: privateKey)
    }

    private static func text(_ key: SourcedText, _ value: YAMLNode, _ advice: String) throws(InvalidValue) -> String {
        guard case .scalar(let text) = value, (1...4096).contains(text.text.utf8.count) else {
            throw InvalidValue("\(key.text): is not one text", advice: advice, at: value.place ?? key.place)
        }
        return text.text
    }

    private static func isHostName(_ name: String) -> Bool {
        name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "-") }
            }
    }
}
