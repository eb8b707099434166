// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The backend with which the records of this machine are kept the same.
package struct RecordsTarget: Sendable, Hashable {
    /// The address of a bucket, such as `https://host/v1/buckets/site1`.
    package var address: String
    /// The address of the files; `nil` for `blobs` beside `buckets`.
    package var blobs: String?
    /// The token that the backend demands; `nil` for ``login``.
    package var token: SecretSource?
    /// The user and the password that the backend demands.
    package var login = UploadTarget.Login()
    /// The certificates of the authority that signs that of the server (PEM); `nil` for those of the system.
    package var authorityFile: String?
    /// The IDs of the kinds; each is a collection of the backend.
    package var kinds: [String]
    /// The pause between two looks at the backend.
    package var poll = Duration.seconds(60)
    /// Tells of changes at once; `nil` for none.
    package var broker: RecordsBroker?

    package init(address: String, kinds: [String]) { (self.address, self.kinds) = (address, kinds) }
}

extension RecordsTarget {
    private static let keys =
        ["server", "blobs", "user", "ca", "kinds", "poll", "mqtt"] + TargetKeys.secretKeys("token")
        + TargetKeys.secretKeys("password")

    /// Reads the section `records:`.
    init(_ key: SourcedText, _ node: YAMLNode) throws(InvalidValue) {
        let keys = try TargetKeys(node, of: key, known: Self.keys)
        let address = try keys.value(
            try keys.required("server", "write https://HOST/v1/buckets/NAME"), .text("address"))
        let kinds = try Self.kinds(try keys.required("kinds", "write kinds: [loyalty-card]"))
        self.init(address: address, kinds: kinds)
        blobs = try keys.text("blobs")
        token = try keys.secret("token")
        login = UploadTarget.Login(user: try keys.text("user"), password: try keys.secret("password"))
        guard (login.user == nil) == (login.password == nil) else {
            let missing = login.user == nil ? "user" : "password-file"
            throw InvalidValue("records: lacks \(missing)", advice: "give it", at: key.place)
        }
        guard token == nil || login.user == nil else {
            throw InvalidValue("records: has a token and a user", advice: "give one of them", at: key.place)
        }
        authorityFile = try keys.path("ca")
        poll = try keys.value("poll", .poll) ?? poll
        broker = try keys.entry("mqtt").map { (entry) throws(InvalidValue) in try RecordsBroker(entry) }
    }

    private static func kinds(_ entry: TargetKeys.Entry) throws(InvalidValue) -> [String] {
        var known: Set<String> = []
        let kinds = try InvalidValue.collecting(try entry.value.input.entries) { input throws(InvalidValue) in
            let kind = try SettingSyntax.text("kind").parse(input)
            guard known.insert(kind).inserted else {
                throw InvalidValue("kinds: \(kind.quoted) appears twice", at: input.place)
            }
            return [kind]
        }
        guard !kinds.isEmpty else {
            throw InvalidValue("kinds: names none", advice: "write kinds: [loyalty-card]", at: entry.key.place)
        }
        return kinds
    }
}

extension SettingSyntax where Value == Duration {
    /// The time between two looks at a backend, from 5 s to a day.
    fileprivate static var poll: Self {
        Self("duration", choices: ["60s"]) { text throws(InvalidValue) in
            let poll = try Duration.parse(text)
            guard (.seconds(5) ... .seconds(86400)).contains(poll) else {
                throw InvalidValue("\(text.quoted) is out of range", advice: "give 5s to 1d")
            }
            return poll
        }
    }
}
