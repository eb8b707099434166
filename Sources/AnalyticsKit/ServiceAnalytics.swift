// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit

/// The receivers of the product events of a service. Changes need a restart.
public struct ServiceAnalytics: Sendable, Equatable {
    /// The address to which each event is sent; `nil` for none.
    public var webhook: String?
    /// The path of the file whose first line is the secret of the webhook's signatures.
    public var secretFile: String?
    /// `true` to publish each event to the MQTT broker.
    public var usesMQTT = false
    /// How long an event is kept until it is delivered.
    public var keepFor = Duration.seconds(7 * 86_400)

    package init() {}
}

// MARK: - Reading

extension ServiceAnalytics {
    private static let keys = ["webhook", "secret-file", "mqtt", "keep-for"]
    private static let advice = "write webhook: and secret-file:, or mqtt: yes below it"

    /// Reads the section `analytics`.
    package init(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        guard case .mapping(let pairs, _) = value else {
            throw InvalidValue("\(key.text): is not a section", advice: Self.advice, at: value.place ?? key.place)
        }
        var seen: Set<String> = []
        for pair in pairs {
            guard let name = pair.key.text, Self.keys.contains(name) else {
                throw InvalidValue.unknownKey(pair.key.text ?? "", among: Self.keys).at(pair.key.place)
            }
            guard seen.insert(name).inserted, case .scalar(let sourced) = pair.value,
                (1...2048).contains(sourced.text.utf8.count),
                !sourced.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else { throw InvalidValue("\(name): is not one text", at: pair.value.place ?? pair.key.place) }
            do throws(InvalidValue) { try read(name, sourced.text) } catch { throw error.at(pair.value.place) }
        }
        guard webhook != nil || usesMQTT else {
            throw InvalidValue("\(key.text): names no destination", advice: Self.advice, at: key.place)
        }
        guard (webhook == nil) == (secretFile == nil) else {
            throw InvalidValue(
                "webhook and secret-file belong together", advice: "events are signed with the secret", at: key.place)
        }
    }

    private mutating func read(_ name: String, _ text: String) throws(InvalidValue) {
        switch name {
        case "webhook":
            guard Self.isAddress(text) else {
                throw InvalidValue(
                    "webhook: \(text.quoted) is not an address", advice: "give one such as https://example.org/events")
            }
            webhook = text
        case "secret-file":
            guard text.hasPrefix("/") else {
                throw InvalidValue("secret-file: \(text.quoted) is not absolute", advice: "begin it with /")
            }
            secretFile = text
        case "mqtt":
            guard let isOn = ["yes": true, "true": true, "on": true, "no": false, "false": false, "off": false][text]
            else { throw InvalidValue("mqtt: \(text.quoted) is not known", advice: "give yes or no") }
            usesMQTT = isOn
        default:
            guard let span = try? Duration(parsing: text), span >= .seconds(60), span <= .seconds(90 * 86_400) else {
                throw InvalidValue("keep-for: \(text.quoted) is out of range", advice: "give 1m to 90d")
            }
            keepFor = span
        }
    }

    /// `true` for `http://` or `https://`, a host, and characters of a URL. The library that sends checks the rest.
    private static func isAddress(_ text: String) -> Bool {
        let rest = text.hasPrefix("https://") ? text.dropFirst(8) : text.hasPrefix("http://") ? text.dropFirst(7) : ""
        guard let first = rest.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: ":") else { return false }
        return rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
