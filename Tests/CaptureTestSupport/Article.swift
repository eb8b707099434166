// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// An article of a library's documentation. A test compiles and runs its examples, and contains them verbatim.
package enum Article {
    /// Returns the examples of an article that a file of tests does not contain. Indentation does not count.
    ///
    /// - Parameter tests: The path of the file of tests.
    /// - Throws: If the article cannot be read, or has no example.
    package static func examples(of article: String, in library: String, missingIn tests: String) throws -> [String] {
        let root = "\(tests.split(separator: "/Tests/")[0])"
        let text = try unindented("\(root)/Sources/\(library)/\(library).docc/\(article).md")
        let examples = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        guard !examples.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        let code = try unindented(tests)
        return examples.filter { !code.contains($0) }
    }

    private static func unindented(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
}
