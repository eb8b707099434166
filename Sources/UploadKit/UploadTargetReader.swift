// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Reads a target from its section: `archive: {s3: https://…, key: …, secret-file: …}`.
struct UploadTargetReader {
    private enum Kind: String, CaseIterable {
        case s3, webdav, sftp, http, rclone

        /// The keys of a target of this kind, beside those of all.
        var keys: [String] {
            switch self {
            case .s3: ["region", "key"] + TargetKeys.secretKeys("secret")
            case .webdav: ["user"] + TargetKeys.secretKeys("password")
            case .sftp: ["user", "key-file", "host-key"] + TargetKeys.secretKeys("password")
            case .http:
                ["user", "method", "headers", "fields", "file-field", "erase"] + TargetKeys.secretKeys("password")
                    + TargetKeys.secretKeys("secret")
            case .rclone: []
            }
        }

        var schemes: [String] {
            switch self {
            case .s3, .webdav, .http: ["https", "http"]
            case .sftp: ["sftp"]
            case .rclone: []
            }
        }
    }

    private static let commonKeys =
        Kind.allCases.map(\.rawValue) + ["name", "limit", "hours", "parallel", "ca", "erase-deleted"]

    private let id: SourcedText
    private let kind: Kind
    private let keys: TargetKeys

    init(_ id: SourcedText, _ node: YAMLNode) throws(InvalidValue) {
        guard (1...32).contains(id.text.utf8.count), id.text.utf8.allSatisfy(\.isWordCharacter) else {
            throw InvalidValue(
                "\(id.text.quoted) is not the ID of a target", advice: "give 1 to 32 letters, digits and dashes",
                at: id.place)
        }
        let given = try SectionKeys(node, of: id).entries.compactMap { Kind(rawValue: $0.key.text) }
        guard let kind = given.first, given.count == 1 else {
            let words = Kind.allCases.map(\.rawValue).alternatives
            throw InvalidValue(
                "\(id.text): \(given.isEmpty ? "lacks its protocol" : "has two protocols")",
                advice: "give its address as \(words)", at: id.place)
        }
        (self.id, self.kind) = (id, kind)
        keys = try TargetKeys(node, of: id, known: Self.commonKeys + kind.keys)
    }

    func target() throws(InvalidValue) -> OutboxConfiguration.Target {
        let entry = try keys.required(kind.rawValue, "give its address")
        let address = try keys.value(entry, .text("address"))
        if kind != .rclone { try check(address, entry) }
        var place = UploadTarget(id: id.text, service: try service(), address: address)
        place.authorityFile = try keys.path("ca")
        place.byteRate = try keys.value("limit", .byteRate)
        var target = OutboxConfiguration.Target(place)
        if let name = try keys.value("name", .name) { target.name = name }
        if let parallel = try keys.value("parallel", .integer("count", 1...8)) { target.parallel = parallel }
        target.hours = try keys.value("hours", .hours)
        if let erases = try keys.value("erase-deleted", .toggle) { target.erasesDeleted = erases }
        return target
    }

    /// Checks the form of an address. A password in it would be seen in lists and logs.
    private func check(_ address: String, _ entry: TargetKeys.Entry) throws(InvalidValue) {
        let place = entry.value.place ?? entry.key.place
        let scheme = kind.schemes.first { address.hasPrefix($0 + "://") }
        guard let scheme, address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw InvalidValue(
                "\(entry.key.text): \(address.quoted) is not an address",
                advice: "begin it with \(kind.schemes.map { $0 + "://" }.alternatives)", at: place)
        }
        let host = address.dropFirst(scheme.utf8.count + 3).prefix { $0 != "/" && $0 != "?" }
        guard !host.isEmpty, !host.contains("@") else {
            throw InvalidValue(
                "\(entry.key.text): \(host.isEmpty ? "names no host" : "has a user in its address")",
                advice: host.isEmpty ? "write \(scheme)://HOST/…" : "move it to user: and password-file:", at: place)
        }
        guard
            kind != .s3 || address.dropFirst(scheme.utf8.count + 3).dropFirst(host.utf8.count).dropFirst().first != nil
        else { throw InvalidValue("s3: names no bucket", advice: "write \(scheme)://HOST/BUCKET", at: place) }
    }

    private func service() throws(InvalidValue) -> UploadTarget.Service {
        switch kind {
        case .s3:
            let key = try keys.value(try keys.required("key", "give the ID of the access key"), .text("key"))
            guard let secret = try keys.secret("secret") else {
                throw lacks("secret-file", "name the file of the secret key")
            }
            return .s3(.init(region: try keys.text("region") ?? "us-east-1", keyID: key, secret: secret))
        case .webdav: return .webdav(try login())
        case .sftp: return .sftp(try sftp())
        case .http: return .http(try http())
        case .rclone: return .rclone
        }
    }

    private func login() throws(InvalidValue) -> UploadTarget.Login {
        let login = UploadTarget.Login(user: try keys.text("user"), password: try keys.secret("password"))
        guard (login.user == nil) == (login.password == nil) else {
            throw login.user == nil ? lacks("user", "give it") : lacks("password-file", "name the file of the password")
        }
        return login
    }

    private func sftp() throws(InvalidValue) -> UploadTarget.SFTP {
        let user = try keys.value(try keys.required("user", "give the name of the user"), .text("user"))
        let hostKey = try keys.value(
            try keys.required("host-key", "ssh-keyscan HOST | ssh-keygen -lf - prints it"), .hostKey)
        let login = UploadTarget.SFTP(
            user: user, keyFile: try keys.path("key-file"), password: try keys.secret("password"), hostKey: hostKey)
        guard login.keyFile != nil || login.password != nil else { throw lacks("key-file", "name a private key") }
        return login
    }

    private func http() throws(InvalidValue) -> UploadTarget.HTTP {
        var http = UploadTarget.HTTP()
        http.login = try login()
        if let method: UploadTarget.HTTP.Method = try keys.value("method", .choice) { http.method = method }
        http.headers = try fields("headers")
        http.fields = try fields("fields")
        if let field = try keys.text("file-field") { http.fileField = field }
        http.secret = try keys.secret("secret")
        http.canErase = try keys.value("erase", .toggle) ?? false
        guard http.method == .put || !http.canErase else {
            throw InvalidValue("erase: needs method: put", at: keys.entry("erase")?.key.place)
        }
        return http
    }

    private func fields(_ name: String) throws(InvalidValue) -> [UploadTarget.Field] {
        guard let entry = keys.entry(name) else { return [] }
        var fields: [UploadTarget.Field] = []
        for (key, value) in try SectionKeys(entry.value, of: entry.key).entries {
            fields.append(UploadTarget.Field(key.text, try SettingSyntax.text("text").parse(try value.input)))
        }
        return fields
    }

    private func lacks(_ name: String, _ advice: String) -> InvalidValue {
        InvalidValue("\(id.text): lacks \(name)", advice: advice, at: id.place)
    }
}

extension SettingSyntax where Value == UploadName {
    fileprivate static var name: Self {
        Self("template") { text throws(InvalidValue) in try UploadName(text) }
    }
}

extension SettingSyntax where Value == DailyHours {
    /// Hours by the clock.
    fileprivate static var hours: Self {
        Self("hours") { text throws(InvalidValue) in
            let hours = try DailyHours.parse(text)
            guard !hours.needsPlace else {
                throw InvalidValue(
                    "\(text.quoted) needs a place", advice: "give times of the clock such as 22:00-06:00")
            }
            return hours
        }
    }
}

extension SettingSyntax where Value == Int {
    /// A rate such as `500kB/s`.
    fileprivate static var byteRate: Self {
        Self("rate") { text throws(InvalidValue) in
            guard text.hasSuffix("/s") else {
                throw InvalidValue("\(text.quoted) is not a rate", advice: "give one such as 500kB/s")
            }
            let rate = try ByteSize.parse(FixedText.trimmed(String(text.dropLast(2))))
            guard rate >= 1000 else { throw InvalidValue("is less than 1kB/s", advice: "give 1kB/s or more") }
            return rate
        }
    }
}

extension SettingSyntax where Value == String {
    /// The SHA-256 of a host key, as OpenSSH prints it.
    fileprivate static var hostKey: Self {
        Self("SHA256:…") { text throws(InvalidValue) in
            let digits = text.hasPrefix("SHA256:") ? text.dropFirst(7) : ""
            guard Base64.decoded(digits + "=")?.count == 32 else {
                throw InvalidValue(
                    "\(text.quoted) is not the SHA-256 of a host key",
                    advice: "ssh-keyscan HOST | ssh-keygen -lf - prints it")
            }
            return String(digits)
        }
    }
}
