// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// The folder of a session, as other programs read it.
struct StoredSession {
    /// The content of `session.json`.
    let record: Event
    private let folder: String

    /// Reads a folder, and checks that it has exactly the files of its record, whole: no stray and no partial file.
    init(_ folder: String) throws {
        self.folder = folder
        let text = try String(contentsOfFile: folder + "/session.json", encoding: .utf8)
        record = try Event(text)
        let former = record.objects("stages").flatMap { $0.objects("former") }
        let pictures = pictures + former + record.objects("set_aside")
        let files = pictures + pictures.flatMap { [$0.object("crop"), $0.object("poster")].compactMap(\.self) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let known = files.compactMap { $0["file"] as String? }
        #expect(names.sorted() == (known + ["session.json", "session.yaml"]).sorted())
        let sums = files.map { "\($0["sha256"] ?? "")  \($0["file"] ?? "")\n" }.joined()
        if !files.isEmpty { try Self.run(["sha256sum", "--check", "--strict"], in: folder, input: sums) }
    }

    /// The pictures, in the order of the stages.
    var pictures: [Event] { record.objects("stages").flatMap { $0.objects("pictures") } }

    /// The names of the pictures' files.
    var names: [String] { pictures.compactMap { $0["file"] } }

    /// Checks that the record matches the published schema.
    func expectAsPublished() throws {
        let schema = "\(#filePath.split(separator: "/Tests/")[0])/docs/session.schema.json"
        let program =
            "import json, jsonschema, sys; jsonschema.validate(*[json.load(open(file)) for file in sys.argv[1:]])"
        try Self.run(["python3", "-c", program, "session.json", schema], in: folder)
    }

    /// Runs an installed program that checks the folder.
    private static func run(_ line: [String], in folder: String, input: String = "") throws {
        let (pipe, errors) = (Pipe(), Pipe())
        let process = try ChildProgram(
            line, in: URL(filePath: folder), input: .pipe(pipe), output: .pipe(errors), error: .pipe(errors))
        try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipe.fileHandleForWriting.close()
        let words = try errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(process.wait() == 0, "\(String(decoding: words, as: UTF8.self))")
    }
}
