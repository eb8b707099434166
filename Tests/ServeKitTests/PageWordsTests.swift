// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

/// The translations of the service's messages, which have the English texts as keys.
@Suite("The words of the page")
struct PageWordsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The texts of all Swift sources. A message on several lines is one literal.
    private static func sources() throws -> String {
        let folder = root.appending(path: "Sources")
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let files = (names?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
            .replacingOccurrences(of: #""\s*\+\s*""#, with: "", options: .regularExpression)
    }

    /// `true` if a literal of the sources has all parts of a message, with an interpolation at each of its places.
    private static func isMessage(_ text: String, of sources: String) -> Bool {
        let parts = text.split(separator: /\{\w+\}/, omittingEmptySubsequences: false)
            .map { NSRegularExpression.escapedPattern(for: String($0)) }
        let pattern = #"(?<!\w)"# + parts.joined(separator: #"\\\([^\n]*?\)"#) + #"(?!\w)"#
        return sources.range(of: pattern, options: .regularExpression) != nil
    }

    /// Messages of the C library, which no source of ours has.
    private static let system: Set = [
        "No space left on device", "Read-only file system", "Permission denied", "Input/output error",
    ]

    @Test("Each translated message is a message of the service, with the same places")
    func messages() throws {
        let file = try String(contentsOf: Self.root.appending(path: "page/service-de.js"), encoding: .utf8)
        let sources = try Self.sources()
        let entries = file.matches(of: /'([^']+)': '([^']+)'/)
        #expect(entries.count > 80)
        for entry in entries {
            let (english, german) = (String(entry.1), String(entry.2))
            #expect(Self.places(german).isSubset(of: Self.places(english)), "\(english)")
            guard !Self.system.contains(english) else { continue }
            // The service adds a reason in parentheses only if it has one.
            let plain = english.replacing(" ({reason})", with: "{reason}")
            #expect([english, plain].contains { Self.isMessage($0, of: sources) }, "\(english)")
        }
    }

    private static func places(_ text: String) -> Set<Substring> { Set(text.matches(of: /\{\w+\}/).map(\.output)) }

    @Test("The words of a view that is loaded when it is needed are in both languages")
    func viewKeys() throws {
        let file = try String(contentsOf: Self.root.appending(path: "page/words-outbox.js"), encoding: .utf8)
        let keys = file.components(separatedBy: "\n  de: {").map { part in
            Set(part.matches(of: /(?m)(?:^    |, )'([\w.-]+)': ['\[]/).map(\.1))
        }
        try #require(keys.count == 2)
        #expect(keys[0].count > 30)
        #expect(keys[0].symmetricDifference(keys[1]).isEmpty)
    }

    @Test("The words of both languages have the same keys")
    func keys() throws {
        let keys = try ["en", "de"].map { language in
            let file = try String(contentsOf: Self.root.appending(path: "page/words-\(language).js"), encoding: .utf8)
            return Set(file.matches(of: /(?m)(?:^  |, )(?:'([\w.-]+)'|(\w+)): ['\[]/).map { $0.1 ?? $0.2 ?? "" })
        }
        #expect(keys[0].count > 150)
        #expect(keys[0].symmetricDifference(keys[1]).isEmpty)
    }
}
#endif
