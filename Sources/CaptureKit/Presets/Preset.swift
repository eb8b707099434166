// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A named description of a capture, from a YAML file.
public struct Preset: Sendable {
    /// The file's name without its ending.
    public let name: String
    /// What it is for: the key `description`.
    public let description: String
    /// The file.
    public let path: String
    /// Its settings, as key and value with the place where each stands, in the order of the file.
    let assignments: [Assignment]

    /// A key with its value, and where they stand.
    struct Assignment: Sendable, Hashable {
        let key: String, value: String
        let line: Int, column: Int
    }

    /// Puts the preset's settings under those that are there already.
    func apply(to settings: inout CaptureSettings) throws(CaptureError) {
        for assignment in assignments {
            guard let setting = Setting.named(assignment.key) else { continue }
            try setting.apply(
                assignment.value, to: &settings,
                subject: "\(path):\(assignment.line):\(assignment.column): \(assignment.key)",
                code: .configuration)
        }
    }
}
