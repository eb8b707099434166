// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SessionModel

extension RecordKind {
    /// The largest content as text, in bytes.
    static let mostBytes = 1 << 18

    /// Returns all reasons why a content is not valid. Commands, the API, the page and the synchronization use this one
    /// function.
    ///
    /// - Parameters:
    ///   - content: The content, as ``normalized(_:)`` returns it.
    ///   - previous: The content that it replaces: parts that the kind does not have, such as those of a later version
    ///   of
    ///     the kind on another board, may stay as they are there.
    ///   - isTaken: Returns `true` if another record that is not in the trash has this value.
    package func faults(
        in content: RecordContent, over previous: RecordContent? = nil,
        isTaken: (_ field: String, _ value: String) -> Bool = { _, _ in false }
    ) -> [RecordFault] {
        var faults: [RecordFault] = []
        for field in fields {
            let value = content.values[field.name]
            do throws(CaptureError) {
                _ = try field.form.checked(value, quotesValue: !field.isPersonal)
            } catch {
                faults.append(RecordFault(.field(field.name), error.message, advice: error.advice))
                continue
            }
            if isUnique(field), let value, isTaken(field.name, value) { faults.append(.taken(field.name)) }
        }
        for side in sides where side.isRequired && content.sides[side.name] == nil {
            faults.append(RecordFault(.side(side.name), "is required"))
        }
        faults += unknownParts(of: content, over: previous)
        if content.json.text.utf8.count > Self.mostBytes {
            faults.append(RecordFault(nil, "is larger than \(Self.mostBytes >> 10) KiB", advice: "shorten its texts"))
        }
        return faults
    }

    private func unknownParts(of content: RecordContent, over previous: RecordContent?) -> [RecordFault] {
        let (fieldNames, sideNames) = (fields.map(\.name), sides.map(\.name))
        return content.parts.subtracting(fieldNames.map(RecordPart.field)).subtracting(sideNames.map(RecordPart.side))
            .sorted().filter { content[$0] != previous?[$0] }.map { part in
                let (noun, names) = if case .field = part { ("field", fieldNames) } else { ("side", sideNames) }
                let near = Spelling.nearest(to: part.name, among: names).map { "did you mean \($0)?" }
                let advice = names.isEmpty ? "it has no \(noun)s" : "use one of \(names.joined(separator: ", "))"
                return RecordFault(part, "is not a \(noun) of \(id)", advice: near ?? advice)
            }
    }

    /// Returns the content as it is stored: without spaces around values, without empty ones, and with LF as the line
    /// break.
    package func normalized(_ content: RecordContent) -> RecordContent {
        var content = content
        for (name, value) in content.values {
            let lines = value.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            let text = FixedText.trimmed(lines)
            content.values[name] = text.isEmpty ? nil : text
        }
        return content
    }

    /// `true` if no two records that are not in the trash share a value of the field.
    package func isUnique(_ field: RecordField) -> Bool { field.isUnique || field.name == key }

    /// Returns the values of a content that no other record may have, by the names of their fields.
    package func uniqueValues(of content: RecordContent) -> [(field: String, value: String)] {
        fields.filter(isUnique).compactMap { field in content.values[field.name].map { (field.name, $0) } }
    }

    /// Returns the text that names a record for people: the value of the key; `nil` if it has none.
    package func name(of content: RecordContent) -> String? { key.flatMap { content.values[$0] } }
}

extension RecordFault {
    /// The fault of a unique field whose value another record has.
    static func taken(_ field: String) -> RecordFault {
        RecordFault(.field(field), "is that of another record", advice: "change that record, or give another value")
    }
}
