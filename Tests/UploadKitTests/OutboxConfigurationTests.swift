// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Testing

@testable import UploadKit

@Suite("The file of an outbox")
struct OutboxConfigurationTests {
    private static let whole = """
        board: pi-1
        send:
          - from: /srv/pictures/garden
            to: [archive, nas]
            order: newest
            skip-older: 1h
          - from: /srv/pictures/yard
            series: back-yard
            camera: yard
            to: cloud
          - clips: /srv/door
            to: nas
        targets:
          archive:
            s3: https://s3.example.com/photos/site1
            region: eu-central-1
            key: AKIAEXAMPLE
            secret-file: /etc/secret
            limit: 500 kB/s
            hours: 22:00-06:00
          nas:
            sftp: sftp://nas.local/photos
            user: camera
            key-file: /etc/key
            host-key: SHA256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ
            parallel: 1
          cloud:
            webdav: https://cloud.example.org/dav/photos
            user: me
            password-variable: CLOUD
            name: "{board}/{file}.{extension}"
          immich:
            http: https://photos.example.org/api/assets
            method: post
            secret-credential: immich
            headers: {x-api-key: "{secret}"}
            fields: {deviceAssetId: "{id}", deviceId: "{board}"}
            file-field: assetData
          drive:
            rclone: "gdrive:Photos"
        """

    private static func read(_ text: String) throws(CaptureError) -> OutboxConfiguration {
        try OutboxConfiguration(Array(text.utf8), file: "outbox.yaml")
    }

    @Test func `All protocols and options are read`() throws {
        let configuration = try Self.read(Self.whole)
        #expect(configuration.board.description == "pi-1")
        #expect(configuration.targets.map(\.id) == ["archive", "nas", "cloud", "immich", "drive"])
        let archive = configuration.targets[0]
        let s3 = UploadTarget.S3(region: "eu-central-1", keyID: "AKIAEXAMPLE", secret: .file("/etc/secret"))
        #expect(archive.place.service == .s3(s3))
        #expect(archive.place.byteRate == 500_000)
        #expect(archive.hours != nil)
        #expect(configuration.targets[1].parallel == 1)
        #expect(configuration.targets[2].place.service == .webdav(.init(user: "me", password: .variable("CLOUD"))))
        guard case .http(let http) = configuration.targets[3].place.service else { return #expect(Bool(false)) }
        #expect(http.method == .post)
        #expect(http.headers == [.init("x-api-key", "{secret}")])
        #expect(http.fields.map(\.name) == ["deviceAssetId", "deviceId"])
        let route = configuration.routes[0]
        #expect(route.series == "garden")
        #expect(route.targets == ["archive", "nas"])
        #expect(route.options == .init(order: .newest, skipOlder: .seconds(3600)))
        #expect(configuration.routes[1].series == "back-yard")
        #expect(configuration.routes.map(\.kind) == [.series, .series, .clips])
        #expect(configuration.routes[2].series == "door" && configuration.routes[2].folder == "/srv/door")
    }

    @Test func `Deleted pictures are erased at a target unless it says otherwise`() throws {
        func target(_ keys: String) throws -> OutboxConfiguration.Target {
            let text = "targets:\n  a: {http: \"http://127.0.0.1\"\(keys)}\nsend: [{from: /a, to: a}]\n"
            return try Self.read(text).targets[0]
        }
        #expect(try target("").erasesDeleted && target("").keepsDeleted)
        #expect(try target(", erase: yes").erasesDeleted && !target(", erase: yes").keepsDeleted)
        for word in ["no", "false"] {
            let target = try target(", erase-deleted: \(word)")
            #expect(!target.erasesDeleted && !target.keepsDeleted)
        }
    }

    @Test func `The examples of the chapter are valid`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/outbox.md")
        let blocks = try String(contentsOf: root, encoding: .utf8).split(separator: "```yaml\n").dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let configuration = try Self.read(String(block.prefix { $0 != "`" }))
            #expect(!configuration.targets.isEmpty || configuration.records != nil)
        }
    }

    @Test(arguments: [
        ("key: AKIAEXAMPLE", "", "archive: lacks key"),
        ("secret-file: /etc/secret", "secret: abc", "unknown key \"secret\""),
        ("secret-file: /etc/secret", "secret-file: etc/secret", "is not absolute"),
        ("s3: https://s3.example.com/photos/site1", "s3: https://s3.example.com", "names no bucket"),
        ("s3: https://s3.example.com/photos/site1", "s3: https://me:pw@s3.example.com/photos", "has a user"),
        ("s3: https://s3.example.com/photos/site1", "s3: ftp://s3.example.com/photos", "is not an address"),
        ("limit: 500 kB/s", "limit: 500 kB", "is not a rate"),
        ("limit: 500 kB/s", "limit: 5 B/s", "less than"),
        ("hours: 22:00-06:00", "hours: dusk..dawn", "needs a place"),
        ("host-key: SHA256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ", "host-key: MD5:ab", "host key"),
        // The last digit of 32 bytes has two bits that are zero.
        ("yzABCDEFGHIJKLMNOPQ", "yzABCDEFGHIJKLMNOPR", "host key"),
        ("to: cloud", "to: claud", "did you mean \"cloud\""),
        ("to: cloud", "", "lacks to"),
        ("- from: /srv/pictures/yard", "- from: yard", "is not absolute"),
        ("rclone: \"gdrive:Photos\"", "ftp: \"gdrive:Photos\"", "lacks its protocol"),
        ("rclone: \"gdrive:Photos\"", "{rclone: a, sftp: b}", "outbox.yaml:"),
        ("user: me", "", "lacks user"),
        ("method: post", "erase: yes\n    method: post", "needs method: put"),
        ("  immich:", "  im mich:", "is not the ID of a target"),
        ("order: newest", "order: random", "order:"),
        ("clips: /srv/door", "clips: /srv/door\n    from: /srv/door", "from and clips are given"),
        ("clips: /srv/door", "clips: /srv/door\n    what: small", "there are no small copies of clips"),
        ("clips: /srv/door", "clips: door", "is not absolute"),
        ("name: \"{board}/{file}.{extension}\"", "name: \"{board}\"", "same name"),
    ])
    func `Each mistake has one line with its place`(line: String, mistake: String, message: String) throws {
        let text = Self.whole.replacing(line, with: mistake)
        let error = #expect(throws: CaptureError.self) { _ = try Self.read(text) }
        #expect(error?.description.contains(message) ?? false, "\(error?.description ?? "none")")
        #expect(error?.description.hasPrefix("outbox.yaml:") ?? false)
        #expect(error?.code == .configuration)
    }

    @Test func `A file without targets, or without folders, says what is missing`() {
        for (text, missing) in [("", "targets: is missing"), ("targets:\n  a: {rclone: \"a:b\"}", "send: is missing")] {
            let error = #expect(throws: CaptureError.self) { _ = try Self.read(text) }
            #expect(error?.description.contains(missing) ?? false)
        }
    }

    @Test func `Random changes of a file end with an error or a configuration, and never with a crash`() {
        var generator = SplitMix(11)
        for _ in 0..<2000 {
            let bytes = Array(Self.whole.utf8).mutated(&generator)
            _ = try? OutboxConfiguration(bytes, file: "outbox.yaml")
        }
    }

    @Test("The backend of records is read, also without pictures")
    func records() throws {
        let text = """
            records:
              server: https://records.example.org/v1/buckets/site1
              token-file: /etc/gst-capture/records.token
              kinds: [loyalty-card, post]
              poll: 30s
              mqtt: {broker: "mqtts://home.local", user: board, password-file: /etc/mqtt, topic: site/cards}
            """
        let records = try #require(try Self.read(text).records)
        #expect(records.address == "https://records.example.org/v1/buckets/site1" && records.blobs == nil)
        #expect(records.token == .file("/etc/gst-capture/records.token") && records.login.user == nil)
        #expect(records.kinds == ["loyalty-card", "post"] && records.poll == .seconds(30))
        let broker = try #require(records.broker)
        #expect(broker.address.host == "home.local" && broker.address.port == 8883 && broker.address.isTLS)
        #expect(broker.login == UploadTarget.Login(user: "board", password: .file("/etc/mqtt")))
        #expect(broker.topic == "site/cards")
        #expect(try Self.read(Self.whole).records == nil)
        #expect(try Self.read(Self.whole + "\n" + text).targets.count == 5)
    }

    private static let target = "targets: {nas: {webdav: \"https://nas/dav\"}}\n"
    private static let base = "server: https://a/v1/buckets/b, kinds: a"

    @Test("The pictures of records are at an address, or at a target, which needs no folder")
    func blobs() throws {
        func blobs(_ text: String) throws -> RecordsTarget.Blobs? {
            try #require(try Self.read("records: {\(Self.base), blobs: \(text)}\n" + Self.target).records).blobs
        }
        #expect(try blobs("nas") == .target("nas"))
        let address = "records: {\(Self.base), blobs: \"https://a/v1/blobs\"}\n"
        #expect(try Self.read(address).records?.blobs == .address("https://a/v1/blobs"))
        // A target of nothing is a mistake.
        let error = #expect(throws: CaptureError.self) { try Self.read(address + Self.target) }
        #expect(error?.description.contains("send: is missing") == true)
    }

    @Test(
        "A target that cannot have pictures of records is refused",
        arguments: [
            ("naz", Self.target, "blobs: \"naz\" is not a target; did you mean \"nas\"?"),
            ("nas", "", "blobs: \"nas\" is not a target; name one of targets:"),
            ("/srv/blobs", Self.target, "blobs: \"/srv/blobs\" is not a target; name one of targets:"),
            (
                "nas", "targets: {nas: {http: \"https://nas\", method: post}}\n",
                "blobs: target nas gets pictures in a form, which cannot be fetched; give it method: put"
            ),
            (
                "nas", "targets: {nas: {http: \"https://nas\"}}\n",
                "blobs: target nas cannot erase pictures of deleted records; "
                    + "give it erase: yes if the server accepts DELETE"
            ),
        ])
    func blobMistakes(blobs: String, targets: String, message: String) throws {
        let text = "records: {\(Self.base), blobs: \(blobs)}\n" + targets
        let error = try #require(#expect(throws: CaptureError.self) { try Self.read(text) })
        #expect(error.description.hasSuffix(message), "\(error)")
        #expect(error.description.hasPrefix("outbox.yaml:1:"), "\(error)")
    }

    @Test(
        "Mistakes in the section of records are reported",
        arguments: [
            ("{}", "records: lacks server; write https://HOST/v1/buckets/NAME"),
            ("{server: https://a/v1/buckets/b}", "records: lacks kinds; write kinds: [loyalty-card]"),
            ("{server: https://a/v1/buckets/b, kinds: []}", "kinds: names none; write kinds: [loyalty-card]"),
            ("{server: https://a/v1/buckets/b, kinds: [a, a]}", "kinds: \"a\" appears twice"),
            ("{server: https://a/v1/buckets/b, kinds: a, user: b}", "records: lacks password-file; give it"),
            (
                "{server: https://a/v1/buckets/b, kinds: a, user: b, password-file: /c, token-file: /d}",
                "records: has a token and a user; give one of them"
            ),
            ("{server: https://a/v1/buckets/b, kinds: a, poll: 1s}", "poll: \"1s\" is out of range; give 5s to 1d"),
            (
                "{server: https://a/v1/buckets/b, kinds: a, mqtt: {}}",
                "mqtt: lacks broker; write broker: mqtt://HOST or mqtts://HOST below it"
            ),
            (
                "{server: https://a/v1/buckets/b, kinds: a, mqtt: {broker: \"http://a\"}}",
                "broker: \"http://a\" is not the address of a broker; give one such as mqtts://home.local:8883"
            ),
            (
                "{server: https://a/v1/buckets/b, kinds: a, mqtt: {broker: \"mqtt://a\", topic: \"a/#\"}}",
                "topic: \"a/#\" is not a topic; give one such as gst-capture/garden"
            ),
            (
                "{server: https://a/v1/buckets/b, kinds: a, mqtt: {broker: \"mqtt://a\", ca: /a.pem}}",
                "broker: has no TLS; write mqtts:// for a broker with TLS"
            ),
            (
                "{server: https://a/v1/buckets/b, kinds: a, mqtt: {broker: \"mqtt://a\", password-file: /a}}",
                "mqtt: has a password and no user; add user:"
            ),
            ("{sever: https://a/v1/buckets/b}", "unknown key \"sever\"; did you mean \"server\"?"),
        ])
    func mistakes(section: String, message: String) throws {
        let error = try #require(#expect(throws: CaptureError.self) { try Self.read("records: " + section) })
        #expect(error.description.hasSuffix(message), "\(error)")
    }
}
