// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// The MQTT broker to which a service reports, for Home Assistant and other programs. Changes need a restart.
public struct ServiceMQTT: Sendable, Equatable {
    /// The name or the address of the broker.
    public var host: String
    /// The port of the broker.
    public var port: Int
    /// `true` to connect with TLS.
    public var isTLS: Bool
    /// The name of the user; `nil` for none.
    public var user: String?
    /// The path of the file whose first line is the password; `nil` for none.
    public var passwordFile: String?
    /// The path of the certificates of authorities; `nil` for those of the system.
    public var authorities: String?
    /// The paths of the client's certificate and key; `nil` for none.
    public var identity: TLSFiles?
    /// The first levels of all topics; `nil` for `gst-capture/` and the name of the machine.
    public var topic: String?
    /// The first level of the topics of discovery; `nil` for none.
    public var discovery: String? = "homeassistant"

    /// Creates a connection without user and certificates.
    public init(host: String, port: Int, isTLS: Bool) { (self.host, self.port, self.isTLS) = (host, port, isTLS) }
}

// MARK: - Reading

extension ServiceMQTT {
    private static let keys = [
        "broker", "user", "password-file", "ca", "certificate", "key", "topic", "discovery",
    ]
    private static let advice = "write broker: mqtt://HOST or mqtts://HOST below it"

    /// Reads the section `mqtt`.
    init(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        guard case .mapping(let pairs, _) = value else {
            throw InvalidValue("\(key.text): is not a section", advice: Self.advice, at: value.place ?? key.place)
        }
        var texts: [String: (text: String, place: TextPlace?)] = [:]
        for pair in pairs {
            guard case .scalar(let name) = pair.key, Self.keys.contains(name.text) else {
                throw InvalidValue.unknownKey(pair.key.text ?? "", among: Self.keys).at(pair.key.place)
            }
            guard texts[name.text] == nil, let text = pair.value.text, (1...1024).contains(text.utf8.count),
                !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { throw InvalidValue("\(name.text): is not one text", at: pair.value.place ?? name.place) }
            texts[name.text] = (text, pair.value.place)
        }
        guard let broker = texts["broker"] else {
            throw InvalidValue("\(key.text): lacks broker", advice: Self.advice, at: key.place)
        }
        do throws(InvalidValue) { self = try Self.broker(broker.text) } catch { throw error.at(broker.place) }
        user = texts["user"]?.text
        for name in ["password-file", "ca", "certificate", "key"] {
            guard let entry = texts[name], !entry.text.hasPrefix("/") else { continue }
            throw InvalidValue(
                "\(name): \(entry.text.quoted) is not absolute", advice: "begin it with /", at: entry.place)
        }
        (passwordFile, authorities) = (texts["password-file"]?.text, texts["ca"]?.text)
        if let certificate = texts["certificate"]?.text, let privateKey = texts["key"]?.text {
            identity = TLSFiles(certificate: certificate, key: privateKey)
        } else if let lone = texts["certificate"] ?? texts["key"] {
            throw InvalidValue("certificate and key belong together", advice: "give both, or none", at: lone.place)
        }
        if !isTLS, let file = texts["ca"] ?? texts["certificate"] {
            throw InvalidValue("broker: has no TLS", advice: "write mqtts:// for a broker with TLS", at: file.place)
        }
        if user == nil, let file = texts["password-file"] {
            throw InvalidValue("password-file: needs a user", advice: "add user:", at: file.place)
        }
        if let entry = texts["topic"] { topic = try Self.levels(entry, "topic") }
        if let entry = texts["discovery"] {
            discovery = entry.text == "off" ? nil : try Self.levels(entry, "discovery")
        }
    }

    private static func broker(_ text: String) throws(InvalidValue) -> ServiceMQTT {
        let wrong = InvalidValue(
            "broker: \(text.quoted) is not the address of a broker", advice: "give one such as mqtts://home.local:8883")
        let isTLS = text.hasPrefix("mqtts://")
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
        var port = isTLS ? 8883 : 1883
        if !after.isEmpty {
            let digits = after.dropFirst()
            guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isDigit), let number = Int(digits),
                (1...65535).contains(number)
            else { throw wrong }
            port = number
        }
        return ServiceMQTT(host: String(host), port: port, isTLS: isTLS)
    }

    private static func levels(_ entry: (text: String, place: TextPlace?), _ key: String) throws(InvalidValue) -> String
    {
        let levels = entry.text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = levels.allSatisfy { level in
            !level.isEmpty && level.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: ".") }
        }
        guard isPlain, entry.text.utf8.count <= 128 else {
            throw InvalidValue(
                "\(key): \(entry.text.quoted) is not a topic", advice: "give one such as gst-capture/garden",
                at: entry.place)
        }
        return entry.text
    }
}
