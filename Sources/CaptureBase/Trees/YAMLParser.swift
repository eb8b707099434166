// Part of gst-capture. Apache License 2.0, see LICENSE.

import CYAML

/// Parses YAML with libyaml (`yaml_parser_load`), which checks a whole document before it returns any of it.
package struct YAMLParser {
    /// A mistake, with its place.
    package struct Failure: Error {
        package let problem: String
        package let place: TextPlace
        /// The construct that libyaml was parsing, which begins at `contextPlace`; `nil` if libyaml names none.
        let context: String?
        let contextPlace: TextPlace
        /// The remedy for a mistake in the syntax; `nil` for other failures.
        var advice: String?
    }

    /// The depth of settings: a key, its list, a mapping in the list, and its values.
    package static let settingLevels = 4
    /// The maximum number of values, more than presets have. Aliases stand for whole trees, and each one counts again.
    private static let mostSettings = 16384

    private let bytes: [UInt8]
    private let line: Int
    private let levels: Int
    private let mostValues: Int

    /// - Parameters:
    ///   - line: The line of the file at which the text begins, from 1.
    ///   - levels: The maximum nesting depth.
    ///   - mostValues: The maximum number of values.
    package init(
        _ text: String, line: Int = 1, levels: Int = YAMLParser.settingLevels, mostValues: Int = Self.mostSettings
    ) {
        (bytes, self.line, self.levels, self.mostValues) = (Array(text.utf8), line, levels, mostValues)
    }

    /// Parses the only document, and returns its value; `nil` if there is none.
    package func root() throws(Failure) -> YAMLNode? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) != 0 else { throw Failure(problem: "out of memory") }
        defer { yaml_parser_delete(&parser) }
        let result: Result<YAMLNode?, Failure> = bytes.withUnsafeBufferPointer { input in
            Self.begin(&parser, input)
            return Result { () throws(Failure) in
                try checkSize(input)
                return try onlyDocument(&parser)
            }
        }
        return try result.get()
    }

    private static func begin(_ parser: inout yaml_parser_t, _ input: UnsafeBufferPointer<UInt8>) {
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
    }

    /// The maximum nesting depth of a file that libyaml loads. Valid presets are less deep.
    private static let mostLevels = 64

    /// Checks the nesting and the number of values in a pass before loading: libyaml's time is quadratic in the depth,
    /// a value takes more than a hundred bytes, and libyaml has no limits itself. Other mistakes are reported when the
    /// file is loaded.
    private func checkSize(_ input: UnsafeBufferPointer<UInt8>) throws(Failure) {
        var (parser, event, depth, values) = (yaml_parser_t(), yaml_event_t(), 0, 0)
        guard yaml_parser_initialize(&parser) != 0 else { throw Failure(problem: "out of memory") }
        defer { yaml_parser_delete(&parser) }
        Self.begin(&parser, input)
        while yaml_parser_parse(&parser, &event) != 0 {
            let (type, mark) = (event.type, event.start_mark)
            yaml_event_delete(&event)
            switch type {
            case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: (depth, values) = (depth + 1, values + 1)
            case YAML_SCALAR_EVENT, YAML_ALIAS_EVENT: values += 1
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
            case YAML_STREAM_END_EVENT: return
            default: break
            }
            guard depth <= Self.mostLevels else { throw Failure(problem: "is nested too deeply", place: place(mark)) }
            guard values <= mostValues else { throw Failure(problem: "has too many values", place: place(mark)) }
        }
    }

    private func onlyDocument(_ parser: inout yaml_parser_t) throws(Failure) -> YAMLNode? {
        let first = try document(&parser)
        guard first != nil, let second = try document(&parser) else { return first }
        throw Failure(problem: "a second document begins here", place: second.place ?? .start)
    }

    /// Returns the next document's value; `nil` at the end.
    private func document(_ parser: inout yaml_parser_t) throws(Failure) -> YAMLNode? {
        var document = yaml_document_t()
        guard yaml_parser_load(&parser, &document) != 0 else { throw failure(of: parser) }
        defer { yaml_document_delete(&document) }
        guard yaml_document_get_root_node(&document) != nil else { return nil }
        var values = 0
        return try node(1, in: &document, levels: levels, &values)
    }

    // Levels count down, since aliases can make a value contain itself.
    private func node(
        _ index: Int32, in document: inout yaml_document_t, levels: Int, _ values: inout Int
    ) throws(Failure) -> YAMLNode {
        guard let item = yaml_document_get_node(&document, index)?.pointee else { return .deeper(.start) }
        let place = place(item.start_mark)
        values += 1
        guard values <= mostValues else { throw Failure(problem: "has too many values", place: place) }
        switch item.type {
        case YAML_SCALAR_NODE:
            let scalar = item.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let isQuoted = scalar.style != YAML_PLAIN_SCALAR_STYLE
            return .scalar(SourcedText(text: text, place: place, isQuoted: isQuoted))
        case YAML_SEQUENCE_NODE where levels > 1:
            let items = item.data.sequence.items
            let indices = UnsafeBufferPointer(start: items.start, count: items.start.distance(to: items.top))
            let nodes = try indices.map { index throws(Failure) in
                try node(index, in: &document, levels: levels - 1, &values)
            }
            return .sequence(nodes, place)
        case YAML_MAPPING_NODE where levels > 1:
            let pairs = item.data.mapping.pairs
            let indices = UnsafeBufferPointer(start: pairs.start, count: pairs.start.distance(to: pairs.top))
            let nodes = try indices.map { pair throws(Failure) in
                YAMLNode.Pair(
                    key: try node(pair.key, in: &document, levels: levels - 1, &values),
                    value: try node(pair.value, in: &document, levels: levels - 1, &values))
            }
            return .mapping(nodes, place)
        default: return .deeper(place)
        }
    }
}

extension YAMLParser {
    /// Returns the parser's error (`yaml_parser_t.problem`).
    private func failure(of parser: yaml_parser_t) -> Failure {
        guard let problem = parser.problem.map({ String(cString: $0) }) else {
            return Failure(problem: "out of memory")
        }
        let isReading = parser.error == YAML_READER_ERROR
        return Failure(
            problem: problem, place: isReading ? place(ofByte: parser.problem_offset) : place(parser.problem_mark),
            context: parser.context.map { String(cString: $0) }, contextPlace: place(parser.context_mark),
            advice: isReading
                ? "remove this character" : "check the indentation, and quote text with characters such as : and *")
    }

    // A reader error has no mark yet, only a byte offset.
    private func place(ofByte offset: Int) -> TextPlace {
        let before = bytes.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: before.last ?? [], as: UTF8.self).unicodeScalars.count
        return TextPlace(line: max(0, before.count - 1) + line, column: column + 1)
    }

    // libyaml counts lines and columns from 0.
    private func place(_ mark: yaml_mark_t) -> TextPlace {
        TextPlace(line: mark.line + line, column: mark.column + 1)
    }
}

extension YAMLParser.Failure {
    fileprivate init(problem: String, place: TextPlace = .start) {
        self.init(problem: problem, place: place, context: nil, contextPlace: place)
    }
}

extension TextPlace {
    /// The beginning of a file.
    package static let start = TextPlace(line: 1, column: 1)
}
