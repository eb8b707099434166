// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The backend with which the records of this machine are kept the same.
package struct RecordsTarget: Sendable, Hashable {
    /// The place of the pictures.
    package enum Blobs: Sendable, Hashable {
        /// The address of the backend's own store.
        case address(String)
        /// The ID of a target of the outbox.
        case target(String)
    }

    /// The address of a bucket, such as `https://host/v1/buckets/site1`.
    package var address: String
    /// The place of the pictures; `nil` for `blobs` beside `buckets`.
    package var blobs: Blobs?
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
    ///
    /// - Parameter target: Returns the target of an ID; `nil` for a target that has a mistake.
    init(
        _ key: SourcedText, _ node: YAMLNode, target: (TargetKeys.Entry) throws(InvalidValue) -> UploadTarget?
    ) throws(InvalidValue) {
        let keys = try TargetKeys(node, of: key, known: Self.keys)
        let address = try keys.value(
            try keys.required("server", "write https://HOST/v1/buckets/NAME"), .text("address"))
        let kinds = try Self.kinds(try keys.required("kinds", "write kinds: [loyalty-card]"))
        self.init(address: address, kinds: kinds)
        blobs = try keys.entry("blobs").map { entry throws(InvalidValue) in
            let text = try keys.value(entry, .text("address"))
            guard !text.contains("://") else { return .address(text) }
            if let target = try target(entry) { try Self.check(target, entry) }
            return .target(text)
        }
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

    /// Checks that a target can have pictures of records.
    private static func check(_ target: UploadTarget, _ entry: TargetKeys.Entry) throws(InvalidValue) {
        let place = entry.value.place ?? entry.key.place
        guard target.canFetch else {
            throw InvalidValue(
                "blobs: target \(target.id) gets pictures in a form, which cannot be fetched",
                advice: "give it method: put", at: place)
        }
        guard target.canErase else {
            throw InvalidValue(
                "blobs: target \(target.id) cannot erase pictures of deleted records",
                advice: "give it erase: yes if the server accepts DELETE", at: place)
        }
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
