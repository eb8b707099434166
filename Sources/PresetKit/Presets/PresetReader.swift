// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Reads settings from a preset's bytes, and collects all errors.
struct PresetReader {
    var settings: CaptureSettings { section.settings }
    private(set) var description = ""
    private(set) var text = ""
    /// The errors, in the order of the file.
    private(set) var errors: [CaptureError] = []
    private var section: SettingsSection

    /// The key of a preset that is not a setting.
    private static let descriptionKey = "description"

    /// Reads the whole preset.
    ///
    /// - Parameter file: The name of the file in errors.
    init(_ bytes: [UInt8], file: String) {
        section = SettingsSection(file: file, otherKeys: [Self.descriptionKey])
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try SettingsText(bytes).text
            let document = SettingsDocument(text)
            description = SettingsText.firstComment(text)
            problems = document.problems
            for entry in document.entries {
                do throws(InvalidValue) {
                    try read(entry.key, try entry.value.input)
                } catch {
                    problems += error.all
                }
            }
            if problems.isEmpty { try check(document.entries) }
        } catch {
            problems.append(error)
        }
        errors = InvalidValue.errors(problems, in: file)
    }

    private mutating func read(_ sourced: SourcedText, _ input: SettingInput) throws(InvalidValue) {
        guard sourced.text == Self.descriptionKey else { return try section.read(sourced, input) }
        description = try SettingsSection.naming(sourced, input) { () throws(InvalidValue) in
            try SettingSyntax.text("text").parse(input)
        }
    }

    private func check(_ entries: [SettingsDocument.Entry]) throws(InvalidValue) {
        guard !entries.isEmpty else { throw InvalidValue("holds no settings", advice: "write key: value", at: .start) }
        try section.check()
    }
}
