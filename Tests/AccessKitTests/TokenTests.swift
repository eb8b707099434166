// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import Testing

@testable import AccessKit

@Suite("Tokens of a service")
struct TokenTests {
    private static func time(_ seconds: Int64) -> WallTime {
        WallTime(seconds: 1_790_000_000 + seconds, nanoseconds: 0)
    }

    @Test("A token is found by its secret alone, and not after it is removed")
    func tokens() throws {
        var table = TokenTable()
        let (first, second) = (TokenSecret.token(), TokenSecret.token())
        try table.add(first, name: "phone", role: .view, at: Self.time(0))
        try table.add(second, name: "desk", role: .admin, at: Self.time(1))
        #expect(table.token(first)?.name == "phone" && table.token(second)?.role == .admin)
        #expect(table.token(.token()) == nil)
        #expect(try TokenSecret(sent: #require(table.tokens.first).hash).flatMap(table.token) == nil)
        try table.remove("phone")
        #expect(table.token(first) == nil && table.tokens.map(\.name) == ["desk"])
    }

    @Test("Secrets are random, long enough and without characters that need quotes")
    func secrets() {
        let secrets = (0..<100).map { _ in TokenSecret.token().text }
        #expect(Set(secrets).count == 100 && secrets.allSatisfy { $0.wholeMatch(of: /gst_[0-9a-f]{64}/) != nil })
        #expect(TokenSecret.pairing().text.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(TokenSecret(sent: "") == nil && TokenSecret(sent: String(repeating: "a", count: 129)) == nil)
    }

    @Test("A role includes those before it")
    func roles() {
        #expect(Role.view < .kiosk && Role.kiosk < .capture && Role.capture < .admin && !(Role.admin < .view))
    }

    @Test(
        "A name that is taken, empty, too long or not plain is refused",
        arguments: ["phone", "", "a b", "a/b", "é", "a\n", String(repeating: "a", count: 65)])
    func names(name: String) throws {
        var table = TokenTable()
        try table.add(.token(), name: "phone", role: .view, at: Self.time(0))
        let error = #expect(throws: CaptureError.self) {
            try table.add(.token(), name: name, role: .view, at: Self.time(0))
        }
        #expect(error?.code == .usage && error?.advice != nil && table.tokens.count == 1)
    }

    @Test("A pairing link works once, for 10 minutes, and gives names that are free")
    func pairing() throws {
        var table = TokenTable()
        let links = (0..<3).map { _ in TokenSecret.pairing() }
        for link in links { try table.offer(link, name: "tablet", role: .capture, at: Self.time(0)) }
        let secret = TokenSecret.token()
        #expect(try table.redeem(.pairing(), as: .token(), at: Self.time(1)) == nil)
        #expect(try table.redeem(links[0], as: secret, at: Self.time(600))?.name == "tablet")
        #expect(table.token(secret)?.role == .capture)
        #expect(try table.redeem(links[0], as: .token(), at: Self.time(1)) == nil)
        #expect(try table.redeem(links[1], as: .token(), at: Self.time(2))?.name == "tablet-2")
        #expect(try table.redeem(links[2], as: .token(), at: Self.time(601)) == nil)
        #expect(try table.redeem(links[2], as: .token(), at: Self.time(-1)) == nil)
        #expect(table.tokens.count == 2)
    }

    @Test("There are limits to tokens and to valid links, and expired links make room")
    func limits() throws {
        var table = TokenTable()
        for number in 0..<TokenTable.mostTokens {
            try table.add(.token(), name: "t\(number)", role: .view, at: Self.time(0))
        }
        let error = #expect(throws: CaptureError.self) {
            try table.add(.token(), name: "more", role: .view, at: Self.time(0))
        }
        #expect(error?.code == .temporary)
        for _ in 0..<TokenTable.mostPairings { try table.offer(.pairing(), name: "a", role: .view, at: Self.time(0)) }
        #expect(throws: CaptureError.self) { try table.offer(.pairing(), name: "a", role: .view, at: Self.time(600)) }
        try table.offer(.pairing(), name: "a", role: .view, at: Self.time(601))
    }

    @Test("The file has the mode 0600 and hashes alone, and reads as it was written")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = TokenFile(folder: folder.path + "/a/b")
        #expect(try file.read() == nil)
        let (secret, link) = (TokenSecret.token(), TokenSecret.pairing())
        let written = try file.update { table throws(CaptureError) in
            try table.add(secret, name: "phone", role: .capture, at: Self.time(0))
            try table.offer(link, name: "tablet", role: .view, at: Self.time(0))
        }.table
        #expect(try file.read() == written)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(!text.contains(secret.text) && !text.contains(link.text))
        #expect(throws: CaptureError.self) {
            try file.update { table throws(CaptureError) in try table.remove("nobody") }
        }
        #expect(try file.read() == written)
        try FileManager.default.setAttributes([.posixPermissions: 0o622], ofItemAtPath: file.path)
        let error = #expect(throws: CaptureError.self) { try file.read() }
        #expect(error?.code == .permission)
    }

    @Test("Changes of several writers at the same time are all kept")
    func writers() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = TokenFile(folder: folder.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    _ = try file.update { table throws(CaptureError) in
                        try table.add(.token(), name: "t\(number)", role: .view, at: Self.time(0))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try file.read()?.tokens.count == 8)
    }

    @Test("A token file with any mistake is refused, never read in part")
    func hostileFile() throws {
        let hash = String(repeating: "a", count: 64)
        let token = #"{"name":"a","role":"view","created":"2026-11-25T03:16:20.025+00:00","sha256":"\#(hash)"}"#
        let good = #"{"version":1,"tokens":[\#(token)],"pairings":[]}"#
        #expect(try TokenTable(parsing: good, path: "t").tokens.map(\.name) == ["a"])
        let texts = [
            "", "[]", "{}", "null", good.replacing("\"version\":1", with: "\"version\":2"),
            good.replacing("view", with: "root"), good.replacing("\"a\"", with: "\"a/b\""),
            good.replacing(hash, with: "a"), good.replacing(hash, with: hash.uppercased()),
            good.replacing("[\(token)]", with: "[\(token),\(token)]"),
            good.replacing("\"pairings\":[]", with: "\"x\":1"),
            good.replacing("[]", with: #"[{"name":"a","role":"view","since":-1,"sha256":"\#(hash)"}]"#),
            good.replacing("[]", with: #"[{"name":"a","role":"view","since":1e99,"sha256":"\#(hash)"}]"#),
            good.replacing("2026", with: "x"), String(good.dropLast()), String(repeating: "[", count: 10_000),
        ]
        for text in texts {
            #expect(throws: CaptureError.self, "\(text.prefix(80))") { try TokenTable(parsing: text, path: "t") }
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var bytes = Array(good.utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 1...126, using: &random)
            }
            _ = try? TokenTable(parsing: String(decoding: bytes, as: UTF8.self), path: "t")
        }
    }

    @Test("An address may send 10 wrong tokens a minute, and many addresses need no more memory")
    func attempts() {
        var limit = AttemptLimit()
        for _ in 0..<10 { #expect(limit.record("a", at: .seconds(1)) == nil) }
        #expect(limit.record("a", at: .seconds(2)) == .init(wait: 60, isFirst: true))
        #expect(limit.record("a", at: .seconds(3)) == .init(wait: 59, isFirst: false))
        #expect(limit.record("a", at: .seconds(3)) == .init(wait: 59, isFirst: false))
        #expect(limit.record("b", at: .seconds(2)) == nil)
        #expect(limit.record("a", at: .seconds(61)) == nil)
        for number in 0..<5000 { _ = limit.record("n\(number)", at: .seconds(70)) }
        #expect(limit.addressCount <= 1024)
    }
}
