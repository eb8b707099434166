// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Reads settings from a preset's bytes, and collects all errors.
struct PresetReader {
    private(set) var settings = CaptureSettings()
    private(set) var description = ""
    private(set) var text = ""
    /// The errors, in the order of the file.
    private(set) var errors: [CaptureError] = []

    /// The key of a preset that is not a setting.
    private static let descriptionKey = "description"

    /// Reads the whole preset.
    ///
    /// - Parameter file: The name of the file in errors.
    init(_ bytes: [UInt8], file: String) {
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try PresetText(bytes).text
            let document = PresetDocument(text)
            description = PresetText.firstComment(text)
            problems = document.problems
            for entry in document.entries {
                do throws(InvalidValue) {
                    try read(entry.key, try entry.value.input, file)
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

    private mutating func read(_ sourced: SourcedText, _ input: SettingInput, _ file: String) throws(InvalidValue) {
        let key = sourced.text
        do throws(InvalidValue) {
            if key == Self.descriptionKey {
                description = try SettingSyntax.text("text").parse(input)
            } else if let setting = Setting.all.first(where: { $0.key == key }) {
                try setting.read(input, &settings)
                settings.nameOrigin(of: key) { TextPlace.subject(file, $0 ?? input.place) + ": \(key)" }
            } else {
                throw Self.unknown(key).at(sourced.place)
            }
        } catch {
            guard error.place != sourced.place else { throw error }
            let problems = error.all.map { problem in
                InvalidValue(
                    "\(key): \(problem.message)", advice: problem.advice, at: problem.place ?? input.place)
            }
            throw InvalidValue.joining(problems) ?? error
        }
    }

    private func check(_ entries: [PresetDocument.Entry]) throws(InvalidValue) {
        guard !entries.isEmpty else { throw InvalidValue("holds no settings", advice: "write key: value", at: .start) }
        do throws(InvalidValue) {
            try settings.check()
        } catch {
            throw error.at(entries.last { ["camera", "source"].contains($0.key.text) }?.key.place)
        }
    }

    private static func unknown(_ key: String) -> InvalidValue {
        if let setting = Setting.named(key) {
            return InvalidValue("unknown key \(key.quoted)", advice: "in a preset it is \(setting.key.quoted)")
        }
        let near = Spelling.nearest(to: key, among: Setting.all.map(\.key) + [descriptionKey])
        return InvalidValue("unknown key \(key.quoted)", advice: near.map { "did you mean \($0.quoted)?" })
    }
}
