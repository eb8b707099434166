// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Makes settings of a preset's bytes, and notes all that is wrong with them.
struct PresetReader {
    private(set) var settings = CaptureSettings()
    private(set) var description = ""
    private(set) var text = ""
    /// What is wrong, in the order of the file.
    private(set) var errors: [CaptureError] = []

    /// The key of a preset that is no setting.
    private static let descriptionKey = "description"

    /// Reads all at once.
    ///
    /// - Parameter file: How errors name the file.
    init(_ bytes: [UInt8], file: String) {
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try PresetText(bytes).text
            let document = PresetDocument(text)
            description = Self.firstComment(text)
            problems = document.problems
            for entry in document.entries {
                do throws(InvalidValue) { try read(entry, file) } catch { problems += error.all }
            }
            if problems.isEmpty { try check(document.entries) }
        } catch {
            problems.append(error)
        }
        errors = problems.sorted { ($0.place ?? .start) < ($1.place ?? .start) }.map { Self.error($0, file) }
    }

    private mutating func read(_ entry: PresetDocument.Entry, _ file: String) throws(InvalidValue) {
        let key = entry.key.text
        do throws(InvalidValue) {
            if key == Self.descriptionKey {
                description = try SettingSyntax.text("text").parse(entry.input)
            } else if let setting = Setting.all.first(where: { $0.key == key }) {
                try setting.read(entry.input, &settings)
                settings.nameOrigin(of: key) { Self.subject(file, $0 ?? entry.input.place) + ": \(key)" }
            } else {
                throw Self.unknown(key).at(entry.key.place)
            }
        } catch {
            guard error.place != entry.key.place else { throw error }
            let problems = error.all.map { problem in
                InvalidValue(
                    "\(key): \(problem.message)", advice: problem.advice, at: problem.place ?? entry.input.place)
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

    private static func error(_ problem: InvalidValue, _ file: String) -> CaptureError {
        CaptureError(.configuration, problem, subject: subject(file, problem.place))
    }

    private static func subject(_ file: String, _ place: TextPlace?) -> String {
        file + (place.map { ":\($0.line):\($0.column)" } ?? "")
    }

    /// The first comment that has words in it.
    private static func firstComment(_ text: String) -> String {
        for bytes in text.lines where bytes.first == UInt8(ascii: "#") {
            let line = FixedText.clean(bytes.drop { $0 == UInt8(ascii: "#") })
            if line.contains(where: \.isLetter) { return line }
        }
        return ""
    }
}
