// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import OverlayRaster
import PipelineKit
import ProgramTestSupport
import Testing

@testable import OverlayCompositor

@Suite(.timeLimit(.minutes(5))) struct `The drawing process` {
    /// A program that reads requests and never answers. It uses almost no processor time.
    private static let silent = "/usr/bin/tail"

    private func error(_ process: RasterProcess) async -> OverlayError? {
        do throws(OverlayError) {
            _ = try await process.rasterize(.good)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error of a request to a shell script in place of the program. No process may run after it.
    private func error(
        ofScript script: String, limit: Duration = .seconds(5),
        now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
    ) async throws -> OverlayError? {
        let file = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try write(script, to: file.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        let worker = RasterWorker(file.path, limit: limit, now: now)
        do throws(OverlayError) {
            _ = try await worker.draw(.good)
            return nil
        } catch {
            #expect(worker.processIdentifier == nil)
            return error
        }
    }

    /// Writes a script in another process. Otherwise a process that another test starts meanwhile could inherit the
    /// file while it is open for writing, and the script could not be executed (`ETXTBSY`).
    private func write(_ script: String, to path: String) throws {
        let writer = try ChildProcess(
            "/bin/sh", arguments: ["sh", "-c", #"printf '#!/bin/sh\n%s' "$0" >"$1""#, script, path], environment: [],
            streams: [.null, .null, .null])
        try #require(writer.reap() == .exited(0))
    }

    @Test func `The drawing process draws the same image as CairoRasterizer`() async throws {
        let process = try RasterProcess.built()
        for request in [RasterRequest.good, .drawing(.square), .text("Hg"), .picture(try Corpus.file("turned.jpg"))] {
            #expect(try await process.rasterize(request) == CairoRasterizer.draw(request))
        }
    }

    @Test func `The drawing process draws a 4K frame`() async throws {
        let request = RasterRequest.good.with {
            ($0.width, $0.height, $0.extentWidth, $0.extentHeight, $0.fit) = (3840, 2160, 3840, 2160, .cover)
            ($0.pointX, $0.pointY) = (1920, 1080)
        }
        #expect(try await RasterProcess.built().rasterize(request).pixels.count == 3840 * 2160)
    }

    @Test func `The drawing process starts with the first request, and serves many`() async throws {
        let process = try RasterProcess.built()
        #expect(process.processIdentifier == nil)
        _ = try await process.rasterize(.good)
        let first = process.processIdentifier
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await process.rasterize(.text("a")) } }
            try await group.waitForAll()
        }
        #expect(process.processIdentifier == first)
    }

    @Test func `A missing drawing program is an error with advice`() async {
        let missing = await error(RasterProcess(executable: "/no/such/gst-capture-raster"))
        #expect(missing?.code == .rasterizer)
        #expect(
            missing.map { "\($0)" }?.hasPrefix("/no/such/gst-capture-raster: cannot be started: No such file") == true)
        #expect(missing?.advice != nil)
    }

    @Test func `The processor time of the drawing process grows with a drawing`() throws {
        let child = try RasterChild(try RasterProcess.standard().executable)
        let before = child.processorTime
        let deadline = RasterDeadline(.seconds(5)) { child.processorTime }
        try child.channel.send(RasterRequest.good.wire, by: deadline)
        _ = try RasterAnswer(wire: child.channel.receive(by: deadline), to: .good).result.get()
        #expect(before >= .zero)
        #expect(child.processorTime > before)
    }

    @Test func `A drawing process that computes too long is ended at its limit of processor time`() async throws {
        // No wall time passes, so that the result does not depend on the machine's speed.
        let start = SuspendingClock.Instant.now
        let limit = Duration.milliseconds(50)
        let failure = try await error(ofScript: "while :; do :; done", limit: limit, now: { start })
        #expect(failure?.code == .tooMuch)
        #expect(failure?.message == "takes longer than \(limit) to draw")
    }

    @Test func `A drawing process that does not answer is ended after twelve times its limit`() async throws {
        // The wall time passes when the script has received the request, so that the result does not depend on the
        // machine's speed.
        let mark = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())").path
        defer { unlink(mark) }
        let (start, wallTime) = (SuspendingClock.Instant.now, Duration.seconds(48))
        let failure = try await error(
            ofScript: "dd bs=65536 count=1 >/dev/null 2>&1\n: >'\(mark)'\nexec tail", limit: .seconds(4)
        ) { access(mark, F_OK) == 0 ? start + wallTime : start }
        #expect(failure?.code == .tooMuch)
        #expect(failure?.message == "was not drawn within \(wallTime)")
    }

    @Test func `A drawing process that ends by its alarm was too slow`() async throws {
        let failure = try await error(ofScript: "dd bs=65536 count=1 >/dev/null 2>&1\nkill -ALRM $$")
        #expect(failure?.code == .tooMuch)
        #expect(failure?.message == "was not drawn within \(Duration.seconds(60))")
    }

    @Test func `A drawing process that sends another protocol or exits at once is an error`() async throws {
        #expect(try await error(ofScript: "echo 'HTTP/1.1 200 OK' >&0\nexec tail")?.code == .rasterizer)
        #expect(await error(RasterProcess(executable: "/bin/true"))?.code == .rasterizer)
    }

    @Test func `A drawing process that is killed during a request is an error`() async throws {
        let failure = try await error(ofScript: "dd bs=65536 count=1 >/dev/null 2>&1\nkill -KILL $$")
        #expect(failure?.code == .tooMuch)
        #expect(failure?.message == "drawing it ended gst-capture-raster with signal 9")
    }

    @Test func `A drawing process that was killed between two requests is restarted`() async throws {
        let process = try RasterProcess.built()
        _ = try await process.rasterize(.good)
        let first = try #require(process.processIdentifier)
        kill(first, SIGKILL)
        var ending = siginfo_t()
        #expect(waitid(P_PID, id_t(first), &ending, WEXITED | WNOWAIT) == 0)
        #expect(try await process.rasterize(.good).bounds == [50, 0, 100, 100])
        #expect(process.processIdentifier != first)
    }

    @Test func `The drawing process ends and is reaped when its RasterProcess is released`() async throws {
        var process: RasterProcess? = try .built()
        _ = try await process?.rasterize(.good)
        let identifier = try #require(process?.processIdentifier)
        process = nil
        // The process is reaped: not even a zombie has this ID.
        while kill(identifier, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `Closing ends the drawing process, and the next request starts another`() async throws {
        let process = try RasterProcess.built()
        _ = try await process.rasterize(.good)
        let identifier = try #require(process.processIdentifier)
        await process.close()
        #expect(kill(identifier, 0) == -1)
        _ = try await process.rasterize(.good)
        await process.close()
        await process.close()
    }

    @Test func `All threads of the drawing process are confined, and it inherits no signal settings`() async throws {
        let process = try RasterProcess.built()
        // Pango searches for fonts in other threads.
        _ = try await process.rasterize(.text("Hg"))
        let identifier = try #require(process.processIdentifier)
        let threads = try statusOfThreads(of: identifier)
        #expect(!threads.isEmpty)
        for status in threads {
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("Seccomp:\t2"))
        }
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        #expect(status.contains("SigBlk:\t0000000000000000"))
        #expect(getpgid(identifier) == identifier)
    }

    // A thread may end after it was listed.
    private func statusOfThreads(of process: pid_t) throws -> [String] {
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? String(contentsOfFile: "\(folder)/\($0)/status", encoding: .utf8)
        }
    }

    @Test func `A frame that exceeds the limit of memory or of its sides is an error`() async throws {
        let process = try RasterProcess.built()
        let huge = RasterRequest.good.with {
            ($0.width, $0.height, $0.extentWidth, $0.extentHeight) = (16384, 16384, 16384, 16384)
            ($0.pointX, $0.pointY) = (8192, 8192)
        }
        #expect(await process.outcome(of: huge).code == .tooMuch)
        #expect(await process.outcome(of: huge.with { $0.width = 16385 }).code == .tooMuch)
    }

    @Test func `A request that is canceled before its turn starts no drawing process`() async throws {
        let process = RasterProcess(executable: Self.silent, limit: .milliseconds(200))
        async let first = error(process)
        let second = Task {
            // Ends when the task is canceled, and not before.
            try? await Task.sleep(for: .seconds(3600))
            return await error(process)
        }
        second.cancel()
        #expect(await first?.code == .tooMuch)
        #expect(await second.value?.code == .rasterizer)
        #expect(process.processIdentifier == nil)
    }

    @Test func `The drawing program prints its purpose when a user starts it`() async throws {
        let errors = Pipe()
        let process = try ChildProgram([RasterProcess.standard().executable], error: .pipe(errors))
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(await process.status() == 64)
        #expect(said.split(separator: "\n").count == 1)
        #expect(said.hasPrefix("gst-capture-raster: "))
    }
}

@Suite struct `The executable of the drawing process` {
    private func find(_ named: String?, in there: String...) throws -> String {
        try RasterProcess.find(named: named, program: "/opt/bin/gst-capture") { there.contains($0) }
    }

    @Test func `The executable that the environment names is used, and must exist`() throws {
        #expect(try find("/a/raster", in: "/a/raster", "/opt/bin/gst-capture-raster") == "/a/raster")
        #expect(throws: OverlayError.self) { try find("/a/raster", in: "/opt/bin/gst-capture-raster") }
    }

    @Test func `The executable is found beside the program, in its prefix or in the folders of the system`() throws {
        let places = [
            "/opt/bin/gst-capture-raster", "/opt/bin/../libexec/gst-capture/gst-capture-raster",
            "/usr/local/libexec/gst-capture/gst-capture-raster", "/usr/libexec/gst-capture/gst-capture-raster",
        ]
        for place in places { #expect(try find(nil, in: place) == place) }
        #expect(try find("", in: places[3], places[1]) == places[1])
        #expect { try find(nil) } throws: { ($0 as? OverlayError)?.advice != nil }
    }
}
