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
        let address: BrokerAddress
        do throws(InvalidValue) { address = try BrokerAddress(broker.text) } catch { throw error.at(broker.place) }
        self.init(host: address.host, port: address.port, isTLS: address.isTLS)
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

    private static func levels(_ entry: (text: String, place: TextPlace?), _ key: String) throws(InvalidValue) -> String
    {
        do throws(InvalidValue) {
            return try BrokerAddress.topic(entry.text)
        } catch {
            throw InvalidValue("\(key): \(error.message)", advice: error.advice, at: entry.place)
        }
    }
}
