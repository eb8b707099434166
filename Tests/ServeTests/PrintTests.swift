// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite(
    "Prints of sessions on the PDF printer of CUPS", .ownThread,
    .disabled(if: Scheduler.missing != nil, Scheduler.missing))
struct PrintTests {
    @Test("Pictures are printed, at most the allowed number of copies, and a stopped printer says why")
    func whole() async throws {
        let scheduler = try await Scheduler()
        defer { scheduler.end() }
        let folder = try ServedProgram.makeFolder()
        // The PDF printer names its file after the title.
        let title = "Print \(UUID().uuidString.prefix(8))"
        try Data("title: \(title)\nstart: now\ncountdown: 0s\nstages: [name: one]\n".utf8)
            .write(to: folder.appendingPathComponent("one.yaml"))
        let program = try ServedProgram(
            """
              hall: { camera: scene, width: 640, height: 360 }
            sessions:
              one: { session: FOLDER/one.yaml, output: FOLDER, printer: photo, copies: 2 }
              other: { session: FOLDER/one.yaml, output: FOLDER, printer: none }
            """ + "\n", in: folder, ownsFolder: true, environment: scheduler.environment)
        let printer = try program.get("/api/v1/sessions/one/printer").json
        #expect(printer["state"] as? String == "idle" && printer["accepting"] as? Bool == true)
        #expect((printer["reasons"] as? [Any])?.isEmpty == true)
        #expect(try program.get("/api/v1/sessions/one").json["copies"] as? Int == 2)
        let missing = try program.get("/api/v1/sessions/other/printer")
        #expect(missing.status == 404 && missing.text.contains("there is no such printer"), "\(missing.text)")

        let events = try EventClient(program, "?session=one")
        _ = try program.request("POST", "/api/v1/sessions/one/start")
        _ = try events.next("review")
        _ = try program.request("POST", "/api/v1/sessions/one/accept")
        let run = try #require(try events.next("finished").data["run"] as? String)
        func print(_ query: String = "") throws -> ServedProgram.Response {
            try program.request("POST", "/api/v1/sessions/one/runs/\(run)/print\(query)")
        }
        #expect(try print("?copies=3").status == 429)
        #expect(try print("?picture=9").status == 404)
        #expect(try print("?copies=0").status == 400)
        let first = try print()
        #expect(first.status == 202 && first.json["left"] as? Int == 1, "\(first.text)")
        try await scheduler.finishJobs()
        let pages = URL(fileURLWithPath: NSHomeDirectory()).appending(path: "PDF")
        let names = try FileManager.default.contentsOfDirectory(atPath: pages.path)
        let name = try #require(names.first { $0.contains(title.split(separator: " ")[1]) }, "\(names)")
        let page = pages.appending(path: name)
        #expect(try Data(contentsOf: page).starts(with: Data("%PDF".utf8)))
        try FileManager.default.removeItem(at: page)

        try await scheduler.run("cupsdisable", "-r", "The paper is used up", "photo")
        let stopped = try #require(try print().json["printer"] as? [String: Any])
        #expect(
            stopped["state"] as? String == "stopped" && stopped["message"] as? String == "The paper is used up",
            "\(stopped)")
        #expect(try print().status == 429)
        try await scheduler.run("cancel", "-a", "photo")
    }

    @Test("Without a scheduler, a print fails in words")
    func noScheduler() throws {
        let folder = try ServedProgram.makeFolder()
        try Data("stages: [name: one]\n".utf8).write(to: folder.appendingPathComponent("one.yaml"))
        let program = try ServedProgram(
            """
              hall: { camera: scene }
            sessions:
              one: { session: FOLDER/one.yaml, output: FOLDER, printer: photo }
              dry: { session: FOLDER/one.yaml, output: FOLDER }
            """ + "\n", in: folder, ownsFolder: true, environment: ["CUPS_SERVER": folder.path + "/none.sock"])
        let response = try program.get("/api/v1/sessions/one/printer")
        #expect(response.status == 503 && response.text.contains(#"printer \"photo\""#), "\(response.text)")
        #expect(try program.get("/api/v1/sessions/dry/printer").status == 404)
    }
}

/// A scheduler of CUPS with the PDF printer `photo`, in a separate folder.
private final class Scheduler: Sendable {
    static let missing: Comment? =
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/sbin/cupsd")
            && FileManager.default.fileExists(atPath: "/usr/lib/cups/backend/cups-pdf")
        ? nil : "optional: the PDF printer needs root, cups-daemon and printer-driver-cups-pdf"

    private let folder: URL
    private let process: ChildProgram

    var environment: [String: String] { ["CUPS_SERVER": folder.path + "/cups.sock"] }

    init() async throws {
        folder = try ServedProgram.makeFolder()
        for name in ["spool/tmp", "cache", "state", "ppd", "ssl"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let path = folder.path
        let daemon = """
            Listen \(path)/cups.sock
            DefaultAuthType None
            WebInterface No
            Browsing No
            <Location />
              Order allow,deny
              Allow all
            </Location>
            <Policy default>
              <Limit All>
                Order deny,allow
              </Limit>
            </Policy>

            """
        let files = """
            ServerRoot \(path)
            RequestRoot \(path)/spool
            CacheDir \(path)/cache
            StateDir \(path)/state
            TempDir \(path)/spool/tmp
            AccessLog \(path)/access_log
            ErrorLog \(path)/error_log
            PageLog \(path)/page_log
            SystemGroup root

            """
        try Data(daemon.utf8).write(to: folder.appending(path: "cupsd.conf"))
        try Data(files.utf8).write(to: folder.appending(path: "cups-files.conf"))
        process = try ChildProgram(
            ["/usr/sbin/cupsd", "-f", "-c", path + "/cupsd.conf", "-s", path + "/cups-files.conf"], in: folder,
            output: .null, error: .null)
        // The scheduler makes its socket when it accepts connections.
        while !FileManager.default.fileExists(atPath: path + "/cups.sock") { await Task.yield() }
        let driver = "/usr/share/ppd/cups-pdf/CUPS-PDF_noopt.ppd"
        try await run("lpadmin", "-p", "photo", "-E", "-v", "cups-pdf:/", "-P", driver)
    }

    func end() {
        process.send(SIGTERM)
        process.wait()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a command of CUPS to its end. Returns its output.
    @discardableResult
    func run(_ line: String...) async throws -> String {
        let search = "/usr/bin:/usr/sbin:/bin:/sbin".split(separator: ":").map { "\($0)/\(line[0])" }
        let program = try #require(search.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(line[0])")
        let command = ["/usr/bin/env", "CUPS_SERVER=\(folder.path)/cups.sock", program] + line.dropFirst()
        let result = try await ServedProgram.run(command, in: folder)
        try #require(result.status == 0, "\(line): \(result.error)")
        return result.output
    }

    /// Waits until all jobs are printed.
    func finishJobs() async throws { while try await !run("lpstat", "-W", "not-completed", "-o").isEmpty {} }
}
#endif
