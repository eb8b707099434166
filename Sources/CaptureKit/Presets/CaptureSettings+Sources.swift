// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension CaptureSettings {
    /// Puts settings together: an option wins over a variable, a variable over the preset.
    ///
    /// - Parameters:
    ///   - options: Keys and values from the command line, in order.
    ///   - preset: The name or file of a preset, or `nil`.
    ///   - environment: Variables by name.
    /// - Throws: ``CaptureError`` that names the option, variable, or line at fault.
    public init(
        options: [(key: String, value: String)], preset: String?,
        environment: [String: String] = CaptureSettings.variables(), library: PresetLibrary = PresetLibrary()
    ) throws(CaptureError) {
        self.init()
        if let preset = preset ?? environment["GST_CAPTURE_PRESET"] { try library.preset(preset).apply(to: &self) }
        let fromPreset = self
        try apply(environment)
        for option in options {
            guard let setting = Setting.named(option.key) else { continue }
            try setting.apply(option.value, to: &self, subject: "--\(option.key)")
        }
        let keys = Set(options.map(\.key) + environment.keys.map { $0 })
        try settleSourceAndCamera(keys, fromPreset)
    }

    /// The variables of this program that begin with `GST_CAPTURE_`.
    public static func variables() -> [String: String] {
        var (found, entry) = ([String: String](), environ)
        while let line = entry.pointee {
            if strncmp(line, "GST_CAPTURE_", 12) == 0 {
                let parts = String(cString: line).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
            }
            entry += 1
        }
        return found
    }

    private mutating func apply(_ environment: [String: String]) throws(CaptureError) {
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name != "GST_CAPTURE_PRESET" {
            guard let setting = Setting.all.first(where: { $0.variable == name }) else {
                let near = Spelling.nearest(to: name, among: Setting.all.map(\.variable))
                throw CaptureError(
                    .configuration, "there is no such variable", subject: name,
                    advice: near.map { "did you mean \($0)?" })
            }
            try setting.apply(value, to: &self, subject: name, code: .configuration)
        }
    }

    /// A camera that was asked for takes the place of a preset's source, and the other way round.
    private mutating func settleSourceAndCamera(_ keys: Set<String>, _ preset: CaptureSettings) throws(CaptureError) {
        guard camera != nil, source != nil else { return }
        if preset.source != nil, !keys.contains("source"), !keys.contains("GST_CAPTURE_SOURCE") {
            source = nil
        } else if preset.camera != nil, !keys.contains("camera"), !keys.contains("GST_CAPTURE_CAMERA") {
            camera = nil
        } else {
            throw CaptureError(.usage, "--camera and --source exclude each other")
        }
    }
}
