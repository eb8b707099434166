// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Reads the settings of a section of a YAML file: of a whole preset, or of a camera in the configuration of a service.
package struct SettingsSection {
    /// The settings that were read.
    package private(set) var settings = CaptureSettings()
    /// The place of each setting's key.
    package private(set) var places: [String: TextPlace] = [:]
    private let file: String
    private let otherKeys: [String]

    /// Creates a section without settings.
    ///
    /// - Parameters:
    ///   - file: The name of the file in errors.
    ///   - otherKeys: The keys of the section that are not settings, which the advice for an unknown key may name.
    package init(file: String, otherKeys: [String]) { (self.file, self.otherKeys) = (file, otherKeys) }

    /// Reads a setting.
    ///
    /// - Throws: ``InvalidValue`` if there is no such setting, or it does not accept the value. The message names the
    ///   key.
    package mutating func read(_ key: SourcedText, _ input: SettingInput) throws(InvalidValue) {
        guard let setting = Setting.all.first(where: { $0.key == key.text }) else {
            throw Self.unknown(key.text, otherKeys).at(key.place)
        }
        let file = file
        settings = try Self.naming(key, input) { [settings] () throws(InvalidValue) in
            var settings = settings
            try setting.read(input, &settings)
            settings.nameOrigin(of: key.text) { TextPlace.subject(file, $0 ?? input.place) + ": \(key.text)" }
            return settings
        }
        places[key.text] = key.place
    }

    /// Checks the settings against each other. The error has the place of the key at fault.
    package func check() throws(InvalidValue) {
        do throws(InvalidValue) {
            try settings.check()
        } catch {
            throw error.at(["camera", "source"].compactMap { places[$0] }.max())
        }
    }

    /// Returns the mistake at the key that an error of a capture names as an option.
    ///
    /// - Parameter owner: The key of the section, whose place the mistake has if the error names no key in it.
    package func mistake(_ error: CaptureError, at owner: SourcedText) -> InvalidValue {
        let option = error.subject.flatMap { $0.hasPrefix("--") ? String($0.dropFirst(2)) : nil }
        let key = option.flatMap { Setting.named($0)?.key }
        let message = key.map { "\($0): \(error.message)" } ?? error.summary
        return InvalidValue(
            message.replacing("--", with: ""), advice: error.advice?.replacing("--", with: ""),
            at: key.flatMap { places[$0] } ?? owner.place)
    }

    /// Reads a value, and adds the key and the place of the value to its errors.
    package static func naming<Value>(
        _ key: SourcedText, _ input: SettingInput, _ read: () throws(InvalidValue) -> Value
    ) throws(InvalidValue) -> Value {
        do throws(InvalidValue) {
            return try read()
        } catch {
            let problems = error.all.map { problem in
                InvalidValue(
                    "\(key.text): \(problem.message)", advice: problem.advice, at: problem.place ?? input.place)
            }
            throw InvalidValue.joining(problems) ?? error
        }
    }

    private static func unknown(_ key: String, _ otherKeys: [String]) -> InvalidValue {
        if let setting = Setting.named(key) {
            return InvalidValue("unknown key \(key.quoted)", advice: "in a preset it is \(setting.key.quoted)")
        }
        return .unknownKey(key, among: Setting.all.map(\.key) + otherKeys)
    }
}
