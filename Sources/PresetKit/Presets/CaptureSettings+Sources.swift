// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
@preconcurrency import Glibc

extension CaptureSettings {
    /// Merges the settings of all origins: an option overrides a variable, and a variable overrides the preset. Blocks
    /// while it reads the preset.
    ///
    /// - Parameters:
    ///   - options: Long options without dashes, with their values.
    ///   - preset: The name or file of a preset; `nil` for the one that `GST_CAPTURE_PRESET` names, if any.
    ///   - environment: All variables.
    ///   - library: The library that finds the preset.
    /// - Throws: `CaptureError` that names the option, the variable or the line of the preset at fault.
    public init(
        options: [(key: String, value: String)], preset: String?,
        environment: [String: String] = Self.processEnvironment, library: PresetLibrary = PresetLibrary()
    ) throws(CaptureError) {
        let named = preset ?? environment["GST_CAPTURE_PRESET"].flatMap { $0.isEmpty ? nil : $0 }
        let lowest = try named.map { name throws(CaptureError) in try library.preset(name).settings }
        let variables = try CaptureSettings(environment: environment)
        let options = try CaptureSettings(options: options)
        self = options.merging(over: variables).merging(over: lowest ?? CaptureSettings())
    }

    /// The environment variables of this process that begin with `GST_CAPTURE_` (`environ(7)`).
    public static var processEnvironment: [String: String] {
        var variables: [String: String] = [:]
        for line in OwnEnvironment.lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].hasPrefix(Setting.variablePrefix) {
                variables[String(parts[0])] = String(parts[1])
            }
        }
        return variables
    }

    /// Reads options of the command line.
    ///
    /// If an option is repeated, the values of a list add up; of other options the last value counts.
    ///
    /// - Parameter options: Long options without dashes, or keys, with their values.
    /// - Throws: `CaptureError` `.usage`, with a line for each mistake.
    public init(options: [(key: String, value: String)]) throws(CaptureError) {
        var origin = SettingsOrigin(.usage)
        for (key, texts) in Self.grouped(options) {
            let subject = "--" + key
            guard let setting = Setting.named(key), let last = texts.last else {
                let near = Spelling.nearest(to: key, among: Setting.all.compactMap(\.option))
                origin.add(InvalidValue("unknown option", advice: near.map { "did you mean --\($0)?" }), subject)
                continue
            }
            let inputs = texts.map { SettingInput.text(SourcedText(text: $0)) }
            let isSeveral = setting.isList && texts.count > 1
            origin.read(setting, isSeveral ? .list(inputs, nil) : .text(SourcedText(text: last)), subject)
        }
        self = try origin.settings(conflictAt: "--source")
    }

    /// Reads variables such as `GST_CAPTURE_WIDTH`. An empty variable counts as unset.
    ///
    /// - Parameters:
    ///   - environment: All variables; those of other programs are ignored.
    ///   - reserved: Variables that are not settings; they are ignored, too.
    /// - Throws: `CaptureError` `.configuration`, with a line for each mistake, such as an unknown variable.
    public init(
        environment: [String: String], reserved: Set<String> = Self.reservedVariables
    ) throws(CaptureError) {
        var origin = SettingsOrigin(.configuration)
        let own = environment.filter { $0.key.hasPrefix(Setting.variablePrefix) && !reserved.contains($0.key) }
        for (name, text) in own.sorted(by: { $0.key < $1.key }) where !text.isEmpty {
            if let setting = Setting.all.first(where: { $0.variable == name }) {
                origin.read(setting, .text(SourcedText(text: text)), name)
            } else {
                origin.add(Self.unknown(variable: name, reserved), FixedText.clean(name.utf8))
            }
        }
        self = try origin.settings(conflictAt: Setting.variablePrefix + "SOURCE")
    }

    /// Variables of gst-capture that are not settings.
    public static let reservedVariables: Set<String> = [
        "GST_CAPTURE_PRESET", "GST_CAPTURE_LOG", "GST_CAPTURE_RASTER", "GST_CAPTURE_SOCKET",
    ]

    private static func unknown(variable name: String, _ reserved: Set<String>) -> InvalidValue {
        // The comparison leaves out the common prefix, which would make unrelated names look similar.
        let prefix = Setting.variablePrefix
        let suffixes = (Setting.all.map(\.variable) + reserved.sorted()).map { String($0.dropFirst(prefix.count)) }
        let suffix = String(name.dropFirst(prefix.count))
        let option = Setting.all.first { $0.option == suffix.lowercased() }?.variable
        let near = Spelling.nearest(to: suffix, among: suffixes).map { prefix + $0 }
        return InvalidValue("unknown variable", advice: (option ?? near).map { "did you mean \($0)?" })
    }

    /// Returns the values of each key, in the order in which the keys first appear.
    private static func grouped(_ options: [(key: String, value: String)]) -> [(key: String, texts: [String])] {
        var groups: [(key: String, texts: [String])] = []
        for (key, text) in options {
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].texts.append(text)
            } else {
                groups.append((key, [text]))
            }
        }
        return groups
    }
}

/// Settings from one origin, and their errors.
private struct SettingsOrigin {
    private let code: CaptureError.Code
    private var settings = CaptureSettings()
    private var errors: [CaptureError] = []

    init(_ code: CaptureError.Code) { self.code = code }

    mutating func read(_ setting: Setting, _ input: SettingInput, _ subject: String) {
        do throws(InvalidValue) {
            try setting.read(input, &settings)
            settings.nameOrigin(of: setting.key) { _ in subject }
        } catch {
            add(error, subject)
        }
    }

    mutating func add(_ invalid: InvalidValue, _ subject: String) {
        errors += invalid.errors(code, subject: subject)
    }

    func settings(conflictAt subject: String) throws(CaptureError) -> CaptureSettings {
        var whole = self
        do throws(InvalidValue) { try settings.check() } catch { whole.add(error, subject) }
        if let error = CaptureError.joining(whole.errors) { throw error }
        return settings
    }
}
