// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The MQTT broker over which machines tell each other that records have changed at their backend.
package struct RecordsBroker: Sendable, Hashable {
    package var address: BrokerAddress
    package var login = UploadTarget.Login()
    /// The certificates of the authority that signs that of the broker (PEM); `nil` for those of the system.
    package var authorityFile: String?
    /// The first levels of the topics; the kind follows.
    package var topic = "gst-capture/records"
}

extension RecordsBroker {
    private static let keys = ["broker", "user", "ca", "topic"] + TargetKeys.secretKeys("password")
    private static let advice = "write broker: mqtt://HOST or mqtts://HOST below it"

    /// Reads the section `mqtt:` of records.
    init(_ entry: TargetKeys.Entry) throws(InvalidValue) {
        let keys = try TargetKeys(entry.value, of: entry.key, known: Self.keys)
        let broker = try keys.required("broker", Self.advice)
        let text = try keys.value(broker, .text("address"))
        do throws(InvalidValue) { address = try BrokerAddress(text) } catch { throw error.at(broker.value.place) }
        login = UploadTarget.Login(user: try keys.text("user"), password: try keys.secret("password"))
        if login.user == nil, login.password != nil {
            throw InvalidValue(
                "\(entry.key.text): has a password and no user", advice: "add user:", at: entry.key.place)
        }
        authorityFile = try keys.path("ca")
        if authorityFile != nil, !address.isTLS {
            throw InvalidValue(
                "broker: has no TLS", advice: "write mqtts:// for a broker with TLS", at: broker.value.place)
        }
        let syntax = SettingSyntax<String>("topic") { text throws(InvalidValue) in try BrokerAddress.topic(text) }
        topic = try keys.value("topic", syntax) ?? topic
    }
}
