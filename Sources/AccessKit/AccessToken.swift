// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The rights of a token. Each role includes the ones before it.
public enum Role: String, Sendable, CaseIterable, Comparable {
    /// Reads states, pictures, ledgers and events.
    case view
    /// Runs sessions, shares and prints their pictures: for devices that strangers use.
    case kiosk
    /// Captures pictures, and pauses, resumes and stops series.
    case capture
    /// Every request, also those that delete or configure.
    case admin

    /// `true` if the second role includes the first and more.
    public static func < (first: Role, second: Role) -> Bool {
        allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
    }
}

/// The secret of a token or of a pairing link.
///
/// A secret is random, with 256 or 128 bits. An attacker who has its hash cannot guess it, however fast the hash is:
/// SHA-256 is enough, and the slow, salted hashes that passwords need would only cost time for each request.
public struct TokenSecret: Sendable {
    /// The secret, which only its holder may know. Never log it.
    public let text: String

    private static let prefix = "gst_"
    private static let mostBytes = 128

    /// Creates the random secret of a token: `gst_` and 64 hexadecimal digits.
    public static func token() -> TokenSecret { TokenSecret(text: prefix + random(words: 4)) }

    /// Creates the random secret of a pairing link: 32 hexadecimal digits, which keep its QR code small.
    public static func pairing() -> TokenSecret { TokenSecret(text: random(words: 2)) }

    private init(text: String) { self.text = text }

    /// Takes the secret that a client sends; `nil` if it is too long to be one.
    public init?(sent text: String) {
        guard (1...Self.mostBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// Swift's generator is the kernel's (`getrandom(2)`).
    private static func random(words: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<words).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The SHA-256 hash of the secret, as 64 hexadecimal digits.
    package var hash: String { SHA256.digits(of: Array(text.utf8)) }
}

/// A token of a service, without its secret.
public struct AccessToken: Sendable, Hashable {
    /// The name, by which the log and `token remove` know the token.
    public let name: String
    /// What the holder may do.
    public let role: Role
    /// When it was created, in ISO 8601.
    public let created: String
    let hash: String

    /// Distinguishes the token from others, also from an earlier one with its name. The secret does not follow from it.
    package var id: String { String(hash.prefix(16)) }
}

/// A pairing link that was not used yet, without its secret.
struct Pairing: Sendable, Hashable {
    let name: String
    let role: Role
    /// The first and the last second in which the link is valid, since 1970.
    let seconds: ClosedRange<Int>
    let hash: String
}

enum ConstantTime {
    /// Compares two texts. The time depends on their lengths only, not on the place of the first difference.
    static func isEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        guard first.count == second.count else { return false }
        var difference: UInt8 = 0
        for index in first.indices { difference |= first[index] ^ second[index] }
        return difference == 0
    }
}
