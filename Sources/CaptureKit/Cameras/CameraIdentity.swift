// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Names for a camera that stay the same whatever node it gets.
struct CameraIdentity: Sendable, Hashable {
    /// The most stable name.
    let id: String
    /// All other texts that mean the camera.
    let aliases: [String]

    /// Chooses: udev's name by vendor, model and serial; else by port; else the driver's name of the place.
    ///
    /// - Parameters:
    ///   - busInfo: What the driver says, where the node could be opened.
    ///   - dev: Where nodes and links are.
    init(_ facts: NodeFacts, busInfo: String?, dev: String = "/dev") {
        let byPlace = busInfo.flatMap { Self.name(place: $0, index: facts.index ?? 0) }
        let byID = facts.hasTwin || facts.sharesLinks ? nil : facts.byID.first
        let byPath = facts.sharesLinks ? nil : facts.byPath.first
        let id = Self.shellSafe(byID ?? byPath ?? byPlace ?? facts.node)
        var aliases = facts.byID.flatMap { [$0, "\(dev)/v4l/by-id/\($0)"] }
        aliases += facts.byPath.flatMap { [$0, "\(dev)/v4l/by-path/\($0)"] }
        aliases += [byPlace, facts.path, facts.node, Self.number(of: facts.node)].compactMap(\.self)
        self.id = id
        self.aliases = aliases.filter { $0 != id }
    }

    /// Makes a name of libcamera's, which often is a path in the device tree.
    static func name(libcamera name: String) -> String {
        shellSafe(String(name.drop { $0 == "/" || $0 == "\\" }).split(separator: "/").joined(separator: "-"))
    }

    /// Makes a name of a driver's place and the node's number there: `platform:vivid-000` is `platform-vivid-000`.
    static func name(place: String, index: Int) -> String? {
        let name = shellSafe(place.split(separator: ":").joined(separator: "-"))
        guard !name.isEmpty else { return nil }
        return index > 0 ? "\(name)-index\(index)" : name
    }

    /// Replaces each character that a shell could take for its own by `_`.
    static func shellSafe(_ text: String) -> String {
        let safe = text.unicodeScalars.map { scalar -> Character in
            let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
            return isLetter || "0123456789._:+,=@%-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        // A leading dash would read as an option.
        return safe.first == "-" ? "_" + String(safe.dropFirst()) : String(safe)
    }

    /// Shortens uvcvideo's names, which are product and function: `Webcam: Webcam` is `Webcam`. The kernel cuts them off
    /// after 31 bytes, so the second may be a beginning of the first.
    static func withoutRepetition(_ card: String) -> String {
        guard let colon = card.firstRange(of: ": ") else { return card }
        let (product, function) = (card[..<colon.lowerBound], card[colon.upperBound...])
        return !function.isEmpty && product.hasPrefix(function) ? String(product) : card
    }

    private static func number(of node: String) -> String? {
        let digits = node.drop { !$0.isNumber }
        return digits.isEmpty ? nil : String(digits)
    }
}
