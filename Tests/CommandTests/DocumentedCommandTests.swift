// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// Runs the command lines of the README and the chapters as a reader's shell does, in a folder with the files that they
/// name. The built-in scene is the camera, and captures are dry runs.
@Suite(.timeLimit(.minutes(5)), DocumentedFiles())
struct `Commands in the README and the chapters` {
    /// The lines that do not succeed as a dry run. All others must.
    private static let exceptions = [
        Exception(
            "gst-capture snap -o - | magick", "the program behind the pipe needs a picture", isDry: false),
        Exception("gst-capture controls --set brightness=50%", "the scene has no controls") {
            $0.status == 64 && $0.error.contains("scene: has no control brightness")
        },
        Exception("gst-capture library tag 'first snow' garden-pi", "no picture has this ID") {
            $0.status == 66 && $0.error.contains("there is no such picture")
        },
        Exception("gst-capture library delete garden-pi", "no picture has this ID") {
            $0.status == 66 && $0.error.contains("there is no such picture")
        },
        Exception("gst-capture library restore garden-pi", "no picture has this ID") {
            $0.status == 66 && $0.error.contains("there is no such picture")
        },
        Exception(
            "gst-capture library search -q 'stars:4..5 after:2026-06-01' | gst-capture library album add",
            "no album has it"
        ) {
            $0.status == 66 && $0.error.contains("there is no such album")
        },
        Exception("gst-capture film --album", "there is no such album") {
            $0.status == 66 && $0.error.contains("there is no such album")
        },
        Exception("gst-capture sheet --album", "there is no such album") {
            $0.status == 66 && $0.error.contains("there is no such album")
        },
        Exception("gst-capture library search --paths", "the library is empty") {
            $0.status == 66 && $0.error.contains("standard input: has no pictures")
        },
        Exception("gst-capture library import --card", "no card is mounted") {
            $0.status == 66 && $0.error.contains("no card with a folder DCIM is mounted")
        },
        Exception("gst-capture records set", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records side", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records history", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records delete", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records restore", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records resolve", "there is no such record") { $0.status == 66 },
        Exception("gst-capture records export", "there are no records") { $0.status == 66 },
        Exception("gst-capture records sync loyalty-card", "the backend has lost no records") {
            $0.status == 66 && $0.error.contains("there is no question")
        },
        Exception("gst-capture records import", "there is no such table") { $0.status == 66 },
        Exception("gst-capture outbox", "no file names targets") {
            $0.status == 66 && $0.error.contains("there is no file with targets")
        },
        Exception(
            "gst-capture timelapse -i 1m --resume -o '/srv/pictures/garden/%Y-%m-%d/%H%M%S.jpg'",
            "no file names targets"
        ) {
            $0.status == 66 && $0.error.contains("there is no file with targets")
        },
        Exception("gst-capture snap --camera service:garden", "no service runs") { $0.status == 69 },
        Exception("gst-capture controls --camera service:garden", "no service runs") { $0.status == 69 },
        Exception("gst-capture session run avatar --front usb-A --back usb-B", "there are no such cameras") {
            $0.status == 69 && $0.error.contains("there is no such camera")
        },
        Exception("gst-capture doctor", "the status is that of the first check that fails on this machine") {
            $0.status == 0 || $0.text.contains("✗")
        },
    ]

    @Test(arguments: DocumentedLine.all)
    func `Each documented command line runs`(line: DocumentedLine) async throws {
        let exception = Self.exceptions.first { line.text.hasPrefix($0.start) }
        let outcome = try await DocumentedFiles.run(line.text, isDry: exception?.isDry ?? true)
        let isExpected = exception?.isExpected(outcome) ?? (outcome.status == 0)
        #expect(isExpected, "\(exception?.reason ?? "must succeed"): \(outcome.status) \(outcome.error)")
    }

    @Test func `All documents are read, and each exception is documented`() throws {
        let lines = try DocumentedLine.read()
        #expect(lines.count >= 60)
        #expect(Set(lines.map(\.document)).isSuperset(of: ["README.md", "docs/sessions.md", "docs/timelapse.md"]))
        for exception in Self.exceptions {
            #expect(lines.contains { $0.text.hasPrefix(exception.start) }, "\(exception.start)")
        }
    }

    @Test func `Lines continue after a backslash, and only commands in blocks count`() {
        let text = """
            gst-capture outside
            ```sh
            gst-capture snap \\
                -o a.jpg
            echo 1 | gst-capture session    # reads a line
            sudo systemctl enable gst-capture@garden
            ```
            """
        let lines = DocumentedLine.lines(of: "a.md", text)
        #expect(
            lines.map(\.text) == [
                "gst-capture snap \\\n    -o a.jpg", "echo 1 | gst-capture session    # reads a line",
            ])
        #expect(lines.map(\.number) == [3, 5])
    }

    @Test(arguments: [
        ("gst-capture snap --wdth 640", 64), ("gst-capture snap --preset missing", 66),
        ("gst-capture preview --overlay missing", 66), ("gst-capture preview --overlay ghost:missing.jpg", 66),
        ("gst-capture timelapse --interval soon", 64), ("gst-capture session run missing", 66),
        ("gst-capture session run broken.yaml", 78), ("gst-capture ledger /srv/missing", 66),
        ("gst-capture presets show missing > a.yaml", 66), ("gst-capture presets show missing | cat", 66),
        ("gst-capture outlines | missing", 127),
    ])
    func `A line with a mistake fails`(line: String, status: Int32) async throws {
        let outcome = try await DocumentedFiles.run(line)
        #expect(outcome.status == status, "\(outcome.error)")
    }
}

/// A documented line whose outcome is not that of a successful dry run.
private struct Exception: Sendable {
    /// The beginning of the line.
    let start: String
    let reason: String
    /// `false` if the line takes pictures.
    let isDry: Bool
    let isExpected: @Sendable (RunningCommand.Outcome) -> Bool

    init(
        _ start: String, _ reason: String, isDry: Bool = true,
        isExpected: @escaping @Sendable (RunningCommand.Outcome) -> Bool = { $0.status == 0 }
    ) {
        (self.start, self.reason, self.isDry, self.isExpected) = (start, reason, isDry, isExpected)
    }
}

/// A command line in a fenced block of a document.
struct DocumentedLine: Sendable, CustomTestStringConvertible {
    /// The path of the document in the checkout.
    let document: String
    let number: Int
    /// The line as it is written, with its comment and its continuations.
    let text: String

    var testDescription: String { "\(document):\(number): \(text)" }

    /// The lines of all documents; empty if a document cannot be read, which another test reports.
    static let all = (try? read()) ?? []

    /// Reads the README and all chapters.
    static func read() throws -> [DocumentedLine] {
        let root = "\(#filePath.split(separator: "/Tests/")[0])"
        let chapters = try FileManager.default.contentsOfDirectory(atPath: root + "/docs").sorted()
        return try (["README.md"] + chapters.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }).flatMap { document in
            lines(of: document, try String(contentsOfFile: "\(root)/\(document)", encoding: .utf8))
        }
    }

    /// Returns the lines of a document's blocks that run gst-capture, also behind a pipe.
    static func lines(of document: String, _ text: String) -> [DocumentedLine] {
        var (lines, isInBlock) = ([DocumentedLine](), false)
        var rest = text.components(separatedBy: "\n").enumerated().makeIterator()
        while let (index, first) = rest.next() {
            var line = first
            if line.hasPrefix("```") { isInBlock.toggle() }
            while line.hasSuffix("\\"), case (_, let next)? = rest.next() { line += "\n" + next }
            guard isInBlock, line.contains(/(^|[|;&(])\s*gst-capture(\s|$)/) else { continue }
            lines.append(DocumentedLine(document: document, number: index + 1, text: line))
        }
        return lines
    }
}

/// The files that the documents name, made once for the suite. Each line runs in a copy of their folder.
private struct DocumentedFiles: SuiteTrait, TestScoping {
    @TaskLocal private static var folder: URL?

    /// Returns the script that runs in place of gst-capture. It opens no camera, and checks the file of a session: a dry
    /// run does not read the outlines that it names.
    private static func wrapper(of program: String) -> String {
        """
        #!/bin/bash
        program='\(program)'
        case "$1 $2" in
        'session run') "$program" session check "$3" >&2 && "$program" "$@" --dry-run ;;
        'record --check') "$program" "$@" ;;
        'session resume' | 'record '* | 'film '* | 'sheet '* | 'snap '* | 'timelapse '* | 'preview '*) "$program" "$@" --dry-run ;;
        'serve token' | 'serve pair') "$program" "$@" --state "$PWD/state" ;;
        'serve '*) "$program" "$@" --check ;;
        *) "$program" "$@" ;;
        esac
        status=$?
        # A dry run does not read standard input, and would end before the program that writes there.
        cat >/dev/null
        exit $status
        """
    }

    /// In place of programs that are not installed.
    private static let substitutes = [
        "magick": "#!/bin/bash\nexec djpeg -outfile \"${@: -1}\"\n", "jq": "#!/bin/bash\nexec cat\n",
    ]

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let command = try Command()
        try await Self.$folder.withValue(command.folder) {
            try await Self.fill(command)
            try await function()
        }
    }

    /// Runs a line in a copy of the folder, with the built-in scene as the camera.
    static func run(_ line: String, isDry: Bool = true) async throws -> RunningCommand.Outcome {
        let command = try Command()
        let files = FileManager.default
        for item in try files.contentsOfDirectory(
            at: try #require(folder), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        {
            try files.copyItem(at: item, to: command.folder.appendingPathComponent(item.lastPathComponent))
        }
        return try await run(line, in: command.folder, isDry: isDry)
    }

    private static func run(_ line: String, in folder: URL, isDry: Bool) async throws -> RunningCommand.Outcome {
        let shared = try #require(Self.folder).path
        let first = isDry ? shared + "/.programs/first" : try RunningCommand.program().deletingLastPathComponent().path
        let installed = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // One registry of plugins for all lines: to make it takes longer than a dry run.
        let environment = [
            "PATH": "\(first):\(installed):\(shared)/.programs/last", "HOME": folder.path,
            "XDG_CACHE_HOME": shared + "/.cache", "GST_CAPTURE_CAMERA": "scene",
        ]
        // The shell takes the path of the command, which follows, as $0.
        let shell = ["/bin/bash", "-o", "pipefail", "-c", line.replacing("/srv/", with: folder.path + "/srv/")]
        return await (try RunningCommand([], in: folder, environment: environment, launcher: shell)).outcome()
    }

    /// Makes the programs and the files.
    private static func fill(_ command: borrowing Command) async throws {
        let (files, path) = (FileManager.default, command.folder.path)
        for folder in [".programs/first", ".programs/last", "srv/garden", "srv/pictures"] {
            try files.createDirectory(atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
        }
        var programs = [".programs/first/gst-capture": wrapper(of: try RunningCommand.program().path)]
        for (name, text) in substitutes { programs[".programs/last/" + name] = text }
        for (name, text) in programs {
            try command.write(text, to: name)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(path)/\(name)")
        }
        let small = ["--camera", "scene", "--width", "320", "--height", "240", "--settle", "off"]
        for line in [
            ["snap", "-o", "photo.jpg"], ["snap", "-o", "logo.png"],
            ["record", "--for", "500ms", "-o", "clip.mp4"],
            ["timelapse", "-i", "1m", "--count", "1", "-o", "\(path)/srv/garden/%Y-%m-%d/%H%M%S.jpg"],
        ] {
            let outcome = try await RunningCommand(line + small, in: command.folder).outcome()
            try #require(outcome.status == 0, "\(outcome.error)")
        }
        for name in ["before.jpg", "front.jpg", "back.jpg"] {
            try files.copyItem(atPath: path + "/photo.jpg", toPath: "\(path)/\(name)")
        }
        try command.write("stages:\n  - {name: a, outline: ./missing.svg}\n", to: "broken.yaml")
        // A session that can be resumed.
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        _ = try await RunningCommand.leaveSession("quick.yaml", in: command)
        try command.write("cameras: { garden: { camera: scene } }\n", to: "serve.yaml")
        // Files that the documents let the reader make: garden.yaml, mine.yaml. The lines are tested themselves.
        for line in DocumentedLine.all where line.text.contains(/\sshow\s.*>\s/) {
            _ = try await run(line.text, in: command.folder, isDry: true)
        }
    }
}
