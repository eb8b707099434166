// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A value of a JSON text that is read, with its place.
///
/// JSON is nearly YAML, so the parser of presets reads it. That parser limits depth and size, and reports lines and
/// columns. It refuses characters that are escaped as two surrogates, such as `"\ud83d\ude00"`: the text is decoded
/// first. It also refuses some characters that are not escaped: the text is escaped first. Columns count the characters
/// of the changed text.
package struct JSONNode {
    private let node: YAMLNode
    private let path: String

    private init(_ node: YAMLNode, _ path: String) { (self.node, self.path) = (node, path) }

    /// Parses a text whose root is an object.
    ///
    /// - Parameters:
    ///   - path: The name of the text in errors.
    ///   - levels: The nesting depth of the deepest value that is allowed.
    ///   - mostValues: The number of values that are allowed.
    package init(_ text: String, path: String, levels: Int, mostValues: Int) throws(CaptureError) {
        let root: YAMLNode?
        do throws(YAMLParser.Failure) {
            root = try YAMLParser(text.jsonAsYAML, levels: levels, mostValues: mostValues).root()
        } catch {
            throw Self.damaged(path, error.place, error.problem)
        }
        guard let root, case .mapping = root else { throw Self.damaged(path, root?.place, "is not an object") }
        self.init(root, path)
    }

    // MARK: Members

    /// Returns `true` if there is a member of this name that is not null.
    package func has(_ key: String) -> Bool { member(key) != nil }

    /// Returns the member of this name; `nil` if it is missing or null.
    package func optional(_ key: String) throws(CaptureError) -> JSONNode? { member(key) }

    /// Returns the member of this name.
    ///
    /// - Throws: ``CaptureError`` if it is missing or null. If it is not an object, reading its members throws.
    package func object(_ key: String) throws(CaptureError) -> JSONNode { try required(key) }

    /// Returns the numbers of a list that has exactly `count` of them.
    package func numbers(_ key: String, _ count: Int) throws(CaptureError) -> [Double] {
        let node = try required(key)
        let numbers = try node.numbers()
        guard numbers.count == count else { throw node.wrong("does not have \(count) numbers") }
        return numbers
    }

    /// Returns the entries of a list.
    package func list(_ key: String) throws(CaptureError) -> [JSONNode] { try required(key).entries() }

    /// Returns a text.
    package func text(_ key: String) throws(CaptureError) -> String { try required(key).scalar() }

    /// Returns a time in ISO 8601, with milliseconds and zone.
    package func moment(_ key: String) throws(CaptureError) -> String {
        let node = try required(key)
        let text = try node.scalar()
        guard text.utf8.count == Self.moment.utf8.count, zip(text.utf8, Self.moment.utf8).allSatisfy(Self.fits) else {
            throw node.wrong("\(text.quoted) is not a time such as \(Self.moment)")
        }
        return text
    }

    private static let moment = "2026-05-01T12:00:00.000+02:00"

    private static func fits(_ character: UInt8, _ example: UInt8) -> Bool {
        if example.isDigit { return character.isDigit }
        return character == example || example == UInt8(ascii: "+") && character == UInt8(ascii: "-")
    }

    /// Returns a text; `nil` if it is missing or null.
    package func optionalText(_ key: String) throws(CaptureError) -> String? { try member(key)?.scalar() }

    /// Returns the value of an enumeration.
    package func word<Word: RawRepresentable>(_ key: String) throws(CaptureError) -> Word
    where Word.RawValue == String {
        let node = try required(key)
        let text = try node.scalar()
        guard let word = Word(rawValue: text) else { throw node.wrong("\(text.quoted) is not a valid \(key)") }
        return word
    }

    /// Returns an integer in a range.
    package func integer(_ key: String, _ range: ClosedRange<Int>) throws(CaptureError) -> Int {
        let node = try required(key)
        let text = try node.scalar()
        guard let number = Int(text), range.contains(number) else {
            throw node.wrong("\(text.quoted) is not a valid \(key)")
        }
        return number
    }

    /// Returns a number; `nil` if it is missing or null.
    package func optionalNumber(_ key: String) throws(CaptureError) -> Double? { try member(key)?.number() }

    /// Returns a Boolean value.
    package func flag(_ key: String) throws(CaptureError) -> Bool {
        let node = try required(key)
        switch try node.scalar() {
        case "true": return true
        case "false": return false
        case let text: throw node.wrong("\(text.quoted) is neither true nor false")
        }
    }

    /// Returns the numbers of this list.
    package func numbers() throws(CaptureError) -> [Double] {
        var numbers: [Double] = []
        for entry in try entries() { numbers.append(try entry.number()) }
        return numbers
    }

    /// Returns the entries of a list of texts.
    package func texts(_ key: String) throws(CaptureError) -> [String] {
        var texts: [String] = []
        for entry in try list(key) { texts.append(try entry.scalar()) }
        return texts
    }

    /// A member whose value is a text, a number, or a Boolean value.
    package typealias Member = (name: String, value: String)

    /// Returns all members, in the order of the text.
    ///
    /// - Throws: ``CaptureError`` if a value is null, a list or an object.
    package func scalars() throws(CaptureError) -> [Member] {
        guard case .mapping(let pairs, _) = node else { throw wrong("is not an object") }
        var members: [Member] = []
        for pair in pairs {
            let value = JSONNode(pair.value, path)
            guard let name = pair.key.text, !pair.value.isNull else { throw value.wrong("is not a single value") }
            members.append((name, try value.scalar()))
        }
        return members
    }

    /// Returns all members that are not null, in the order of the text.
    package func members() throws(CaptureError) -> [(name: String, value: JSONNode)] {
        guard case .mapping(let pairs, _) = node else { throw wrong("is not an object") }
        var members: [(String, JSONNode)] = []
        for pair in pairs where !pair.value.isNull {
            guard let name = pair.key.text else { throw wrong("has a name that is not a text") }
            members.append((name, JSONNode(pair.value, path)))
        }
        return members
    }

    /// Returns the values of all members by their names, for an object whose names differ.
    ///
    /// - Throws: ``CaptureError`` as ``scalars()``.
    package func values() throws(CaptureError) -> [String: String] {
        var values: [String: String] = [:]
        for member in try scalars() { values[member.name] = member.value }
        return values
    }

    // MARK: Errors

    /// Returns an error about this value.
    package func wrong(_ problem: String) -> CaptureError { Self.damaged(path, node.place, problem) }

    /// Returns an error about a file.
    package static func damaged(_ path: String, _ place: TextPlace?, _ problem: String) -> CaptureError {
        CaptureError(.inputOutput, problem, subject: TextPlace.subject(RegularFile.display(path), place))
    }

    // MARK: Values

    private func required(_ key: String) throws(CaptureError) -> JSONNode {
        guard let member = member(key) else { throw wrong("lacks \(key.quoted)") }
        return member
    }

    private func member(_ key: String) -> JSONNode? {
        guard case .mapping(let pairs, _) = node, let pair = pairs.first(where: { $0.key.text == key }),
            !pair.value.isNull
        else { return nil }
        return JSONNode(pair.value, path)
    }

    private func entries() throws(CaptureError) -> [JSONNode] {
        guard case .sequence(let nodes, _) = node else { throw wrong("is not a list") }
        return nodes.map { JSONNode($0, path) }
    }

    private func scalar() throws(CaptureError) -> String {
        guard let text = node.text else { throw wrong("is not a single value") }
        return text
    }

    /// No measurement has a magnitude above 10 to the 12th.
    private func number() throws(CaptureError) -> Double {
        let text = try scalar()
        guard let number = Double(decimal: text), number.magnitude <= 1e12 else {
            throw wrong("\(text.quoted) is not a number")
        }
        return number
    }
}

extension YAMLNode {
    /// `true` for the null of JSON, `false` for the text "null".
    fileprivate var isNull: Bool {
        if case .scalar(let sourced) = self { sourced.text == "null" && !sourced.isQuoted } else { false }
    }
}

extension String {
    /// The text of a JSON value as YAML, in which no character needs two escapes. Columns of errors count the characters of
    /// this text.
    package var jsonAsYAML: String { decodingSurrogates.escapingForeign }

    /// The text with an escape for each character that is foreign to YAML.
    private var escapingForeign: String {
        guard unicodeScalars.contains(where: \.isForeignToYAML) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isForeignToYAML {
                text += scalar.jsonEscape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with the character for each pair of escaped surrogates (RFC 8259, section 7). Other escapes, and
    /// surrogates that are not a pair, stay as they are.
    private var decodingSurrogates: String {
        let bytes = Array(utf8)
        var (decoded, index) = ([UInt8](), 0)
        decoded.reserveCapacity(bytes.count)
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                decoded.append(bytes[index])
                index += 1
                continue
            }
            // The character after a backslash begins no escape itself.
            let character = Self.character(ofSurrogates: bytes[index...].prefix(12))
            decoded += character.map { Array(String($0).utf8) } ?? Array(bytes[index...].prefix(2))
            index += character == nil ? 2 : 12
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Returns the character for two escapes of six bytes each; `nil` if they are not a pair of surrogates.
    private static func character(ofSurrogates escapes: ArraySlice<UInt8>) -> Character? {
        guard escapes.count == 12, let high = unit(escapes.prefix(6)), let low = unit(escapes.suffix(6)),
            (0xD800...0xDBFF).contains(high), (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF).map { Character($0) }
    }

    private static func unit(_ escape: ArraySlice<UInt8>) -> UInt32? {
        guard escape.starts(with: "\\u".utf8) else { return nil }
        return UInt32(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
    }
}
