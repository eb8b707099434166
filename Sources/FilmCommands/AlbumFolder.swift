// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

/// The folder of an album, which the library knows. The library is in the program of the service: films do not load its
/// database.
enum AlbumFolder {
    private static let program = "gst-capture-serve"
    /// The most bytes of an answer: one path, or one error.
    private static let mostBytes = 1 << 16

    /// Returns the folder of the album with a title or an ID. Blocks.
    ///
    /// - Throws: ``CaptureError`` `noInput` if there is no such album; `configuration` if the library is not installed, or
    ///   cannot be read.
    static func path(of album: String) throws(CaptureError) -> String {
        let (status, lines) = try ask(["library", "album", "path", "--", album])
        if status == 0, let path = lines.last { return path }
        guard status != CaptureError.Code.noInput.exitStatus else {
            throw CaptureError(
                .noInput, "there is no such album", subject: album.withoutControls,
                advice: "gst-capture library album list shows them")
        }
        let reason = lines.first.map { ": " + $0.withoutControls } ?? ""
        throw CaptureError(
            .configuration, "the library cannot be read" + reason, subject: album.withoutControls,
            advice: "gst-capture library album list says more")
    }

    /// Runs the library.
    ///
    /// - Returns: Its exit status, and the lines that it printed; those of errors too.
    private static func ask(_ arguments: [String]) throws(CaptureError) -> (status: Int32, lines: [String]) {
        guard let executable = InstalledProgram.path(of: program) else {
            throw CaptureError(
                .configuration, "is not installed", subject: program,
                advice: "install the package gst-capture-serve, or gst-capture as a whole")
        }
        let (process, output): (ChildProcess, Int32)
        do throws(ChildProcess.NotStarted) {
            let answer = try SocketPair()
            process = try ChildProcess(
                executable, arguments: [program] + arguments, environment: OwnEnvironment.lines,
                streams: [.null, .descriptor(answer.theirs), .descriptor(answer.theirs)])
            output = answer.keepOurs()
        } catch {
            throw CaptureError(
                .configuration, "cannot be started: \(CaptureError.systemMessage(error.code))", subject: executable,
                advice: "install gst-capture as a whole")
        }
        defer { close(output) }
        let lines = read(output).split(separator: "\n").map(String.init)
        guard case .exited(let status) = process.reap() else { return (CaptureError.Code.software.exitStatus, lines) }
        return (status, lines)
    }

    private static func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        while bytes.count < mostBytes {
            let piece = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                var result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                while result < 0, errno == EINTR {
                    result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                }
                count = max(0, result)
            }
            if piece.isEmpty { break }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
