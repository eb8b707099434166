// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The tokens and pairing links of a service, without their secrets. It reads no file and no clock.
public struct TokenTable: Sendable, Hashable {
    /// The tokens, in the order of their creation.
    public private(set) var tokens: [AccessToken] = []
    private var pairings: [Pairing] = []

    /// The maximum numbers of tokens, and of pairing links that are valid at the same time.
    public static let (mostTokens, mostPairings) = (256, 16)
    /// How long a pairing link is valid, in seconds.
    public static let pairingSeconds = 600

    /// Creates an empty table.
    public init() {}

    /// Returns the token with a secret; `nil` if there is none. Compares the hash with that of every token, each in
    /// constant time.
    public func token(_ secret: TokenSecret) -> AccessToken? {
        let hash = secret.hash
        var found: AccessToken?
        for token in tokens where ConstantTime.isEqual(token.hash, hash) { found = token }
        return found
    }

    /// Adds a token.
    ///
    /// - Throws: `CaptureError` `.usage` if the name is invalid or taken, `.temporary` if there are too many tokens.
    public mutating func add(_ secret: TokenSecret, name: String, role: Role, at now: WallTime) throws(CaptureError) {
        try Self.check(name)
        guard !tokens.contains(where: { $0.name == name }) else {
            throw CaptureError(
                .usage, "there is a token of this name", subject: name,
                advice: "choose another name, or remove it with gst-capture serve token remove \(name)")
        }
        guard tokens.count < Self.mostTokens else {
            throw CaptureError(
                .temporary, "there are \(Self.mostTokens) tokens already", subject: name,
                advice: "remove one with gst-capture serve token remove NAME")
        }
        tokens.append(AccessToken(name: name, role: role, created: now.iso8601, hash: secret.hash))
    }

    /// Removes a token.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none of this name.
    public mutating func remove(_ name: String) throws(CaptureError) {
        guard let index = tokens.firstIndex(where: { $0.name == name }) else {
            throw CaptureError(
                .noInput, "there is no token of this name", subject: name.quoted,
                advice: "gst-capture serve token list lists them")
        }
        tokens.remove(at: index)
    }

    /// Adds a pairing link that is valid for ``pairingSeconds``, and drops expired ones.
    ///
    /// - Parameter name: The name of the token that the link creates.
    /// - Throws: `CaptureError` `.usage` if the name is invalid, `.temporary` if too many links are valid.
    public mutating func offer(
        _ secret: TokenSecret, name: String, role: Role, at now: WallTime
    ) throws(CaptureError) {
        try Self.check(name)
        let second = Int(now.seconds)
        pairings.removeAll { !$0.seconds.contains(second) }
        guard pairings.count < Self.mostPairings else {
            throw CaptureError(
                .temporary, "\(Self.mostPairings) pairing links are valid already",
                advice: "use one of them, or wait 10 minutes")
        }
        pairings.append(
            Pairing(name: name, role: role, seconds: second...(second + Self.pairingSeconds), hash: secret.hash))
    }

    /// Exchanges a pairing link for a token: the link is used up, and the token is added. If the name of the token is
    /// taken, it gets a number. Returns the token; `nil`, and no change, if no valid link has this secret.
    ///
    /// - Throws: `CaptureError` `.temporary` if there are too many tokens.
    public mutating func redeem(
        _ link: TokenSecret, as secret: TokenSecret, at now: WallTime
    ) throws(CaptureError) -> AccessToken? {
        guard let found = pairing(link, at: now) else { return nil }
        let pairing = pairings[found]
        try add(secret, name: freeName(pairing.name), role: pairing.role, at: now)
        pairings.remove(at: found)
        return tokens.last
    }

    /// `true` if a pairing link is valid.
    public func hasPairing(_ link: TokenSecret, at now: WallTime) -> Bool { pairing(link, at: now) != nil }

    /// Returns the index of a pairing link; `nil` if it is not valid. Compares the hash with that of every link, each in
    /// constant time.
    private func pairing(_ link: TokenSecret, at now: WallTime) -> Int? {
        let hash = link.hash
        var found: Int?
        for (index, pairing) in pairings.enumerated() where ConstantTime.isEqual(pairing.hash, hash) { found = index }
        return found.flatMap { pairings[$0].seconds.contains(Int(now.seconds)) ? $0 : nil }
    }

    private func freeName(_ name: String) -> String {
        let names = Set(tokens.map(\.name))
        guard names.contains(name) else { return name }
        let stem = name.prefix(Self.mostNameBytes - 4)
        return (2...Self.mostTokens + 2).lazy.map { "\(stem)-\($0)" }.first { !names.contains($0) } ?? name
    }

    private static let mostNameBytes = 64

    private static func check(_ name: String) throws(CaptureError) {
        guard isName(name) else {
            throw CaptureError(
                .usage, "is not a name", subject: name.quoted,
                advice: "use 1 to \(mostNameBytes) letters, digits, - and _")
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...mostNameBytes).contains(name.utf8.count) && name.utf8.allSatisfy(\.isWordCharacter)
    }
}

// MARK: - JSON

extension TokenTable {
    /// Parses the content of a token file.
    ///
    /// - Throws: `CaptureError` with the place of the first mistake.
    init(parsing text: String, path: String) throws(CaptureError) {
        let root = try JSONNode(text, path: path, levels: 4, mostValues: 4096)
        _ = try root.integer("version", 1...1)
        for node in try root.list("tokens") {
            let token = AccessToken(
                name: try Self.name(node), role: try node.word("role"), created: try node.moment("created"),
                hash: try Self.hash(node))
            guard !tokens.contains(where: { $0.name == token.name }) else {
                throw node.wrong("\(token.name.quoted) is there twice")
            }
            tokens.append(token)
        }
        for node in try root.list("pairings") {
            let start = try node.integer("since", 0...Self.latest)
            pairings.append(
                Pairing(
                    name: try Self.name(node), role: try node.word("role"),
                    seconds: start...(start + Self.pairingSeconds), hash: try Self.hash(node)))
        }
        guard tokens.count <= Self.mostTokens, pairings.count <= Self.mostPairings else {
            throw root.wrong("has more than \(Self.mostTokens) tokens or \(Self.mostPairings) pairings")
        }
    }

    /// The year 9999.
    private static let latest = 253_402_300_799

    private static func name(_ node: JSONNode) throws(CaptureError) -> String {
        let name = try node.text("name")
        guard isName(name) else { throw node.wrong("\(name.quoted) is not a name") }
        return name
    }

    private static func hash(_ node: JSONNode) throws(CaptureError) -> String {
        let hash = try node.text("sha256")
        guard hash.utf8.count == 64, hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
            throw node.wrong("sha256 is not a hash")
        }
        return hash
    }

    /// The content of a token file.
    var text: String {
        JSONValue.object([
            "version": .integer(1),
            "tokens": .array(
                tokens.map {
                    .object([
                        "name": .string($0.name), "role": .string($0.role.rawValue), "created": .string($0.created),
                        "sha256": .string($0.hash),
                    ])
                }),
            "pairings": .array(
                pairings.map {
                    .object([
                        "name": .string($0.name), "role": .string($0.role.rawValue),
                        "since": .integer($0.seconds.lowerBound), "sha256": .string($0.hash),
                    ])
                }),
        ]).text + "\n"
    }
}
