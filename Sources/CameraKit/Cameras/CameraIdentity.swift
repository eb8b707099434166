// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The names of a camera that do not depend on the number of its node.
struct CameraIdentity: Sendable, Hashable {
    /// The most stable name.
    let id: String
    /// All other names of the camera.
    let aliases: [String]

    /// Chooses the ID: udev's name by vendor, model and serial number, else by port, else the driver's bus info, else
    /// the node.
    ///
    /// - Parameters:
    ///   - busInfo: The driver's bus info; `nil` if the node could not be opened.
    ///   - dev: The folder of nodes and links.
    init(_ facts: NodeFacts, busInfo: String?, dev: String = "/dev") {
        let byBus = busInfo.flatMap { Self.name(place: $0, index: facts.index ?? 0) }
        let byID = facts.hasTwin || facts.sharesLinks ? nil : facts.byID.first
        let byPath = facts.sharesLinks ? nil : facts.byPath.first
        let id = Self.shellSafe(byID ?? byPath ?? byBus ?? facts.node)
        var aliases = facts.byID.flatMap { [$0, "\(dev)/v4l/by-id/\($0)"] }
        aliases += facts.byPath.flatMap { [$0, "\(dev)/v4l/by-path/\($0)"] }
        aliases += [byBus, facts.path, facts.node, Self.number(of: facts.node)].compactMap(\.self)
        self.id = id
        self.aliases = aliases.filter { $0 != id }
    }

    /// Makes an ID from libcamera's name, which often is a path in the device tree.
    static func name(libcamera name: String) -> String {
        shellSafe(String(name.drop { $0 == "/" || $0 == "\\" }).split(separator: "/").joined(separator: "-"))
    }

    /// Makes an ID from the driver's bus info and the node's index: `platform:vivid-000` becomes `platform-vivid-000`.
    /// Returns `nil` if the bus info is empty.
    static func name(place: String, index: Int) -> String? {
        let name = shellSafe(place.split(separator: ":").joined(separator: "-"))
        guard !name.isEmpty else { return nil }
        return index > 0 ? "\(name)-index\(index)" : name
    }

    /// Puts `_` in place of each character that is not ASCII, or that a shell could interpret.
    static func shellSafe(_ text: String) -> String {
        let safe = text.unicodeScalars.map { scalar -> Character in
            let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
            return isLetter || "0123456789._:+,=@%-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        // A command would read a leading dash as an option.
        return safe.first == "-" ? "_" + String(safe.dropFirst()) : String(safe)
    }

    /// Shortens uvcvideo's names, which are product and function: `Webcam: Webcam` becomes `Webcam`. The kernel
    /// truncates them after 31 bytes, so the function may be only a prefix of the product.
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
