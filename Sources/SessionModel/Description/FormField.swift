// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A field that the user fills in before the pictures, such as the number of a member.
public struct FormField: Sendable, Hashable {
    /// The kind of value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Text on one line.
        case text
        /// A decimal number.
        case number
        /// One of ``FormField/choices``.
        case choice
        /// Text of several lines.
        case lines
    }

    /// The name of the field in the record.
    public var name: String
    /// The label on the screen; `nil` for the name.
    public var label: String?
    /// The kind of value.
    public var kind = Kind.text
    /// `true` if the value can also be read from a barcode or QR code that the person shows to the camera.
    public var isScanned = false
    /// `true` if the session does not begin without a value.
    public var isRequired = false
    /// The regular expression that the whole value has to match, as in the `pattern` of a page (ECMA-262), but without
    /// lookaround and backreferences; `nil` for any value.
    public var pattern: String?
    /// The values to choose from, for ``Kind/choice``.
    public var choices: [String] = []

    /// The longest value of one line, and of several lines, in bytes.
    package static let mostBytes = 1000, mostBytesOfLines = 10_000

    /// Creates a field.
    public init(name: String) { self.name = name }
}

extension FormField {
    /// Checks a value.
    ///
    /// - Parameter quotesValue: `false` for errors that do not have the value.
    /// - Returns: The value without spaces around it; `nil` if it is empty, and the field is not required.
    /// - Throws: `CaptureError` `.usage` with the name of the field as its subject.
    package func checked(_ value: String?, quotesValue: Bool = true) throws(CaptureError) -> String? {
        // Forms of web pages have CR LF.
        let text = FixedText.trimmed((value ?? "").replacing("\r\n", with: "\n"))
        guard !text.isEmpty else {
            if isRequired { throw wrong("is required", nil) }
            return nil
        }
        let most = kind == .lines ? Self.mostBytesOfLines : Self.mostBytes
        guard text.utf8.count <= most else { throw wrong("is longer than \(most) bytes", nil) }
        guard !text.unicodeScalars.contains(where: isForbidden) else {
            throw wrong("contains a control character", kind == .lines ? "remove it" : "write it on one line")
        }
        let shown = quotesValue ? text.quoted : "the value"
        switch kind {
        case .text, .lines: break
        case .number:
            guard Double(decimal: text) != nil else { throw wrong("\(shown) is not a number", "write digits") }
        case .choice:
            guard choices.contains(text) else {
                throw wrong("\(shown) is not a choice", "use one of \(choices.joined(separator: ", "))")
            }
        }
        guard try matches(text) else { throw wrong("\(shown) does not have the right form", nil) }
        return text
    }

    private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && !(kind == .lines && "\n\t".unicodeScalars.contains(scalar))
    }

    private func matches(_ text: String) throws(CaptureError) -> Bool {
        guard let pattern else { return true }
        do throws(PatternError) {
            return try TextPattern(pattern).matches(text)
        } catch {
            throw wrong("has a pattern that cannot be used: \(pattern.quoted) \(error.problem)", error.remedy)
        }
    }

    private func wrong(_ problem: String, _ advice: String?) -> CaptureError {
        CaptureError(.usage, problem, subject: label ?? name, advice: advice)
    }
}

extension SessionDescription {
    /// The field for the next code: the first one without a value; `nil` if no field is scanned.
    package func scannedField(after values: [String: String]) -> FormField? {
        let fields = form.filter(\.isScanned)
        return fields.first { values[$0.name] == nil } ?? fields.last
    }

    /// Checks the values of the form.
    ///
    /// - Returns: The values by the names of their fields, without empty ones.
    /// - Parameter isComplete: `false` to allow that required fields are missing.
    /// - Throws: `CaptureError` `.usage` if a field is unknown, a required one is missing, or a value is not allowed.
    public func checkedForm(
        _ values: [String: String], isComplete: Bool = true
    ) throws(CaptureError) -> [String: String] {
        for name in values.keys.sorted() where !form.contains(where: { $0.name == name }) {
            let known = form.map(\.name).joined(separator: ", ")
            throw CaptureError(
                .usage, "is not a field of this session", subject: name,
                advice: known.isEmpty ? "the session has no fields" : "use one of \(known)")
        }
        var checked: [String: String] = [:]
        for field in form where isComplete || values[field.name] != nil {
            checked[field.name] = try field.checked(values[field.name])
        }
        return checked
    }
}
