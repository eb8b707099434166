// Part of gst-capture. Apache License 2.0, see LICENSE.

import Yams

/// Reads a preset's YAML; mistakes are told with line and column.
struct PresetReader {
    let path: String

    /// Larger files are no presets.
    static let sizeLimit = 65536

    /// Reads the text.
    ///
    /// - Throws: ``CaptureError`` of kind `configuration`, such as `usb.yaml:7:3: unknown key "widht"; did you mean
    ///   width?`
    func read(_ text: String) throws(CaptureError) -> Preset {
        try refuseDepth(text)
        let root = try compose(text)
        guard let mapping = root.mapping else { throw failure(root, "a preset is a list of keys with values") }
        var (description, assignments, seen) = ("", [Preset.Assignment](), Set<String>())
        for (keyNode, value) in mapping {
            guard let key = keyNode.string else { throw failure(keyNode, "a key is a word") }
            guard seen.insert(key).inserted else { throw failure(keyNode, "the key \"\(key)\" stands here twice") }
            if key == "description" {
                description = value.string ?? ""
            } else {
                assignments += try read(key, keyNode, value)
            }
        }
        let preset = Preset(name: Self.name(of: path), description: description, path: path, assignments: assignments)
        var scratch = CaptureSettings()
        try preset.apply(to: &scratch)
        guard scratch.camera == nil || scratch.source == nil else {
            throw failure(root, "camera and source exclude each other")
        }
        return preset
    }

    /// The file's name without folder and ending.
    static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".yaml") ? String(file.dropLast(5)) : file
    }

    private func read(_ key: String, _ keyNode: Node, _ value: Node) throws(CaptureError) -> [Preset.Assignment] {
        guard Setting.named(key) != nil else {
            let near = Spelling.nearest(to: key, among: Setting.all.map(\.key) + ["description"])
            throw failure(
                keyNode, "unknown key \"\(key)\"",
                near.map { "did you mean \($0)?" } ?? "gst-capture help snap lists them all")
        }
        return try texts(of: value, key).map { place($0.text, key, $0.node) }
    }

    /// A scalar is one value; a list is joined for keys that take one; a mapping is for controls.
    private func texts(of value: Node, _ key: String) throws(CaptureError) -> [(text: String, node: Node)] {
        switch value {
        case .scalar(let scalar): return [(scalar.string, value)]
        case .sequence(let sequence) where ["lock", "overlay"].contains(key):
            let words = sequence.compactMap(\.string)
            guard words.count == sequence.count else { throw failure(value, "\(key) takes a list of words") }
            return [(words.joined(separator: ","), value)]
        case .mapping(let mapping) where key == "set":
            var texts: [(String, Node)] = []
            for (name, setting) in mapping {
                guard let name = name.string, let text = setting.string else {
                    throw failure(setting, "a control has a name and one value")
                }
                texts.append(("\(name)=\(text)", setting))
            }
            return texts
        default: throw failure(value, "\(key) takes one value")
        }
    }

    private func place(_ text: String, _ key: String, _ node: Node) -> Preset.Assignment {
        Preset.Assignment(key: key, value: text, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    }

    private func compose(_ text: String) throws(CaptureError) -> Node {
        do {
            guard let node = try Yams.compose(yaml: text) else { throw failure(nil, "is empty") }
            return node
        } catch let error as CaptureError {
            throw error
        } catch let error as YamlError {
            throw failure(error)
        } catch {
            throw failure(nil, "is no YAML: \(error)")
        }
    }

    /// The parser recurses, and expands aliases: what no preset needs is refused before it looks.
    private func refuseDepth(_ text: String) throws(CaptureError) {
        guard text.utf8.count <= Self.sizeLimit else { throw failure(nil, "is too large for a preset") }
        guard text.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) <= 32 else {
            throw failure(nil, "has too many brackets for a preset")
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " }
            guard line.count - content.count <= 64, !content.hasPrefix("- - - -"), !content.contains(": *") else {
                throw CaptureError(
                    .configuration, "is nested too deeply, or uses an alias", subject: "\(path):\(index + 1)")
            }
        }
    }

    private func failure(_ node: Node?, _ message: String, _ advice: String? = nil) -> CaptureError {
        let place = node?.mark.map { "\(path):\($0.line):\($0.column)" } ?? path
        return CaptureError(.configuration, message, subject: place, advice: advice)
    }

    private func failure(_ error: YamlError) -> CaptureError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            CaptureError(.configuration, problem, subject: "\(path):\(mark.line):\(mark.column)")
        default: failure(nil, "is no YAML")
        }
    }
}
