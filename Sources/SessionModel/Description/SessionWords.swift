// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The texts of a session in another language. Texts that are missing stay in the session's own language.
public struct SessionWords: Sendable, Hashable {
    /// The texts of a stage.
    public struct Stage: Sendable, Hashable {
        /// The title on the screen.
        public var title: String?
        /// The instruction.
        public var prompt: String?
    }

    /// The title on the screen.
    public var title: String?
    /// The purpose, in one line.
    public var purpose: String?
    /// The text of the consent.
    public var consent: String?
    /// The texts of the tutorial's pages, in order.
    public var tutorial: [String] = []
    /// The texts of stages, by their names.
    public var stages: [String: Stage] = [:]
    /// The labels of the form's fields, by their names.
    public var labels: [String: String] = [:]

    /// Creates words that leave all texts as they are.
    public init() {}
}

extension SessionDescription {
    /// The languages of the session, its own first, as BCP 47 tags.
    public var allLanguages: [String] { [language] + languages.keys.sorted() }

    /// Returns the session with its texts in a language, such as `de`; unchanged if it has no texts in that language.
    ///
    /// - Parameter tag: A BCP 47 tag. Of `de-AT`, the session may have `de` only.
    public func translated(to tag: String) -> SessionDescription {
        let tags = [tag.lowercased(), String(tag.lowercased().prefix { $0 != "-" && $0 != "_" })]
        guard let words = tags.lazy.compactMap({ tag in languages[tag] }).first else { return self }
        var session = self
        session.title = words.title ?? title
        session.purpose = words.purpose ?? purpose
        session.consent?.text = words.consent ?? consent?.text ?? ""
        for (index, text) in zip(session.tutorial.indices, words.tutorial) { session.tutorial[index].text = text }
        for index in session.stages.indices {
            guard let own = words.stages[session.stages[index].name] else { continue }
            session.stages[index].title = own.title ?? session.stages[index].title
            session.stages[index].prompt = own.prompt ?? session.stages[index].prompt
        }
        for index in session.form.indices {
            session.form[index].label = words.labels[session.form[index].name] ?? session.form[index].label
        }
        return session
    }
}
