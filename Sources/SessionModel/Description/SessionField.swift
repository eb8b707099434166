// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// One key of a mapping in a session's file, tied to a property.
package struct SessionField<Target>: Sendable {
    /// The name of the key in the file.
    package let key: String
    /// Reads a value.
    package let read: @Sendable (YAMLNode, inout Target) throws(InvalidValue) -> Void

    /// Ties a key to a property by a closure that reads its values.
    package init(_ key: String, read: @escaping @Sendable (YAMLNode, inout Target) throws(InvalidValue) -> Void) {
        self.key = key
        self.read = read
    }

    /// Ties a key to a property by the syntax of its values; errors name the key.
    package init<Value>(
        _ key: String, _ property: any WritableKeyPath<Target, Value> & Sendable, _ syntax: SettingSyntax<Value>
    ) {
        self.init(key) { node, target throws(InvalidValue) in
            do throws(InvalidValue) {
                target[keyPath: property] = try syntax.parse(try node.input)
            } catch {
                throw error.about(key, at: node.place)
            }
        }
    }

    /// Ties a key to an optional property.
    package init<Value>(
        _ key: String, optional property: any WritableKeyPath<Target, Value?> & Sendable,
        _ syntax: SettingSyntax<Value>
    ) {
        self.init(key, property, SettingSyntax<Value?>(list: syntax.form.placeholder, parse: syntax.parse))
    }
}

extension SessionField {
    /// Reads all keys of a mapping; returns all mistakes.
    package static func read(
        _ pairs: [(key: SourcedText, value: YAMLNode)], _ fields: [SessionField], into target: inout Target
    ) -> [InvalidValue] {
        var problems: [InvalidValue] = []
        for (key, value) in pairs {
            do throws(InvalidValue) {
                guard let field = fields.first(where: { $0.key == key.text }) else { throw unknown(key, fields) }
                try field.read(value, &target)
            } catch {
                problems += error.all.map { $0.at(value.place) }
            }
        }
        return problems
    }

    /// The keys and values of a mapping; throws if a key occurs twice.
    package static func pairs(_ nodes: [YAMLNode.Pair]) throws(InvalidValue) -> [(key: SourcedText, value: YAMLNode)] {
        var pairs: [(key: SourcedText, value: YAMLNode)] = []
        for node in nodes {
            guard case .scalar(let key) = node.key else {
                throw InvalidValue("a list cannot be a key", advice: "write key: value", at: node.key.place)
            }
            if let first = pairs.first(where: { $0.key.text == key.text })?.key.place {
                throw .twice(key.text, first: first.line, at: key.place)
            }
            pairs.append((key, node.value))
        }
        return pairs
    }

    private static func unknown(_ key: SourcedText, _ fields: [SessionField]) -> InvalidValue {
        let keys = fields.map(\.key)
        let near = Spelling.nearest(to: key.text, among: keys).map { "did you mean \($0.quoted)?" }
        let advice = near ?? "use one of \(keys.joined(separator: ", "))"
        return InvalidValue("unknown key \(key.text.quoted)", advice: advice, at: key.place)
    }
}

extension InvalidValue {
    /// All mistakes of the value, each prefixed with its key.
    fileprivate func about(_ key: String, at place: TextPlace?) -> InvalidValue {
        let problems = all.map { problem in
            InvalidValue("\(key): \(problem.message)", advice: problem.advice, at: problem.place ?? place)
        }
        return InvalidValue.joining(problems) ?? self
    }
}
