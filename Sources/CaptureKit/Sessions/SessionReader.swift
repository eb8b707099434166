// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Makes a session of a file's bytes, and notes all that is wrong with them.
struct SessionReader {
    private(set) var session: SessionDescription
    private(set) var text = ""
    /// What is wrong, in the order of the file.
    private(set) var errors: [CaptureError] = []
    /// The outlines that its stages name, and where.
    private(set) var outlines: [Written] = []
    /// The pictures that its tutorial names, and where.
    private(set) var pictures: [Written] = []

    /// A key, its list, a stage in there, its gates, one of them, and its values.
    private static let levels = 6
    /// So many can be reviewed, and their record is read back.
    private static let mostPictures = 2000
    /// More problems are no help.
    private static let mostProblems = 20

    /// Reads all at once.
    ///
    /// - Parameter file: How errors name the file.
    init(_ bytes: [UInt8], name: String, file: String) {
        session = SessionDescription(name: name, stages: [])
        var problems: [InvalidValue] = []
        do throws(InvalidValue) {
            text = try PresetText(bytes, of: "session").text
            session.purpose = PresetText.firstComment(text)
            let document = PresetDocument(text, levels: Self.levels)
            let pairs = document.entries.map { (key: $0.key, value: $0.value) }
            problems = document.problems + SessionField.read(pairs, SessionDescription.fields, into: &session)
            outlines = Self.texts("outline", of: "stages", in: document)
            pictures = Self.texts("picture", of: "tutorial", in: document)
            if problems.isEmpty { try check() }
        } catch {
            problems.append(error)
        }
        errors = Array(InvalidValue.errors(problems, in: file).prefix(Self.mostProblems))
    }

    private func check() throws(InvalidValue) {
        if session.stages.isEmpty {
            throw InvalidValue("has no stages", advice: "write stages: and an entry for each", at: .start)
        }
        guard session.pictureCount <= Self.mostPictures else {
            throw InvalidValue(
                "has \(session.pictureCount) pictures", advice: "a session has at most \(Self.mostPictures)", at: .start)
        }
    }

    /// What the entries of a list have for a key.
    private static func texts(_ key: String, of list: String, in document: PresetDocument) -> [Written] {
        let entries = document.entries.filter { $0.key.text == list }.flatMap(\.value.entries)
        return entries.flatMap(\.pairs).compactMap { pair in
            guard pair.key.text == key, case .scalar(let written) = pair.value else { return nil }
            return Written(text: FixedText.trimmed(written.text), place: written.place)
        }
    }
}

extension YAMLNode {
    /// The entries of a list, or this one alone.
    var entries: [YAMLNode] {
        if case .sequence(let nodes, _) = self { nodes } else { [self] }
    }

    /// The keys and values of a mapping.
    fileprivate var pairs: [Pair] {
        if case .mapping(let pairs, _) = self { pairs } else { [] }
    }
}
