// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import SystemBase
import UploadKit

/// Sends pictures to a remote of rclone.
///
/// A picture is stored under a hidden name, read back, and renamed. rclone copies a single file over an existing one
/// even with `--immutable`; `--ignore-existing` leaves it. rclone looks for the name before it renames: another program
/// that creates the name in between loses its file.
struct RcloneTransport: FetchingTransport {
    let confirmation = Confirmation.readBack
    let canErase = true
    private let program: String
    private let folder: String
    private let options: [String]

    /// The folders in which rclone is sought, separated by colons.
    static var searchPath: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin" }

    /// - Throws: `CaptureError` if rclone is not installed, or the address names no remote.
    init(_ target: UploadTarget, searchPath: String = searchPath) throws(CaptureError) {
        let paths = searchPath.split(separator: ":").map { "\($0)/rclone" }
        guard let program = paths.first(where: InstalledProgram.canRun) else {
            throw CaptureError(
                .configuration, "rclone is not installed", subject: target.id, advice: "apt install rclone")
        }
        guard target.address.contains(":"), !target.address.hasPrefix("-"), !target.address.utf8.contains(0) else {
            throw CaptureError(
                .configuration, "is not the address of a remote", subject: target.address,
                advice: "write REMOTE:FOLDER with a remote of rclone listremotes")
        }
        self.program = program
        folder = target.address.hasSuffix(":") || target.address.hasSuffix("/") ? target.address : target.address + "/"
        var options = [
            "--ask-password=false", "--retries", "1", "--low-level-retries", "3", "--contimeout", "15s", "--timeout",
            "60s", "--stats", "0", "--log-level", "ERROR",
        ]
        if let rate = target.byteRate { options += ["--bwlimit", "\(rate)B"] }
        if let path = target.authorityFile { options += ["--ca-cert", path] }
        self.options = options
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        let part = try PictureName(upload.name).part(upload.sha256)
        return try await Cancellation.run { cancellation throws(TransferFault) in
            _ = try PictureFile(upload, cancellation)
            do throws(TransferFault) {
                try succeed(["copyto", "--ignore-times", upload.path, folder + part], cancellation)
                // rclone opens the file again: only what it has sent counts.
                guard case .same = try readBack(upload, part, cancellation) else {
                    throw .damaged("the picture arrived with another content")
                }
                return try rename(part, upload, cancellation)
            } catch {
                if !error.isOfConnection { try? succeed(["deletefile", folder + part], cancellation) }
                throw error
            }
        }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        let name = try PictureName(upload.name)
        return try await Cancellation.run { cancellation throws(TransferFault) in
            try readBack(upload, name.text, cancellation).confirmation()
        }
    }

    func has(_ name: String) async throws(TransferFault) -> Bool {
        let name = try PictureName(name).text
        return try await Cancellation.run { cancellation throws(TransferFault) in try exists(name, cancellation) }
    }

    func fetch(_ download: Download) async throws(TransferFault) -> Bool {
        let name = try PictureName(download.name).text
        return try await Cancellation.run { cancellation throws(TransferFault) in
            try FetchedFile.fetch(download) { file throws(TransferFault) in
                let result = try run(["cat", folder + name], most: download.byteCount, into: file, cancellation)
                if let number = result.storeError {
                    throw FetchedFile.storeFault(CaptureError.systemMessage(number))
                }
                if result.isTooLong { throw FetchedFile.otherContent }
                if RcloneFault.missing.contains(result.status) { return false }
                if let fault = RcloneFault.fault(result) { throw fault }
                return true
            }
        }
    }

    func erase(_ name: String) async throws(TransferFault) {
        let name = try PictureName(name).text
        try await Cancellation.run { cancellation throws(TransferFault) in
            if try exists(name, cancellation) { try succeed(["deletefile", folder + name], cancellation) }
        }
    }

    /// Gives the picture its name if no file has it.
    private func rename(
        _ part: String, _ upload: Upload, _ cancellation: Cancellation
    ) throws(TransferFault) -> Delivery {
        try succeed(["moveto", "--ignore-existing", folder + part, folder + upload.name], cancellation)
        guard try exists(part, cancellation) else { return .confirmed(.readBack) }
        let delivery = try readBack(upload, upload.name, cancellation).delivery()
        try? succeed(["deletefile", folder + part], cancellation)
        return delivery
    }

    /// Compares a file with a picture. A file that is longer is not read to its end.
    private func readBack(
        _ upload: Upload, _ name: String, _ cancellation: Cancellation
    ) throws(TransferFault) -> ReadBack {
        let result = try run(["cat", folder + name], most: upload.byteCount, cancellation)
        if result.isTooLong { return .other }
        if RcloneFault.missing.contains(result.status) { return .missing }
        if let fault = RcloneFault.fault(result) { throw fault }
        return result.byteCount == upload.byteCount && result.sha256 == upload.sha256 ? .same : .other
    }

    private func exists(_ name: String, _ cancellation: Cancellation) throws(TransferFault) -> Bool {
        let result = try run(["lsf", folder + name], most: CurlExchange.mostText, cancellation)
        if RcloneFault.missing.contains(result.status) { return false }
        if let fault = RcloneFault.fault(result) { throw fault }
        return result.byteCount > 0
    }

    private func succeed(_ arguments: [String], _ cancellation: Cancellation) throws(TransferFault) {
        if let fault = RcloneFault.fault(try run(arguments, most: CurlExchange.mostText, cancellation)) { throw fault }
    }

    private func run(
        _ arguments: [String], most: Int, into file: FetchedFile? = nil, _ cancellation: Cancellation
    ) throws(TransferFault) -> RcloneProcess.Result {
        try cancellation.check()
        return try RcloneProcess(program, options + arguments).wait(most: most, into: file, cancellation)
    }
}

/// The faults of rclone.
enum RcloneFault {
    /// The exit statuses for a missing folder and a missing file.
    static let missing: [Int32] = [3, 4]

    /// Returns the fault of a run; `nil` if it succeeded. rclone has exit statuses for few faults: most are in words.
    static func fault(_ result: RcloneProcess.Result) -> TransferFault? {
        if result.status == 0 { return nil }
        let lines = result.messages.split(separator: UInt8(ascii: "\n"))
        let words = String(FixedText.clean(lines.last ?? []).withoutSecrets.prefix(200))
        if missing.contains(result.status) { return .missing("the folder does not exist at the remote") }
        return switch words.lowercased() {
        case let text where contains(text, ["no space", "disk space", "quota", "insufficient storage", "507"]):
            .full("the remote has no room: \(words)")
        // Go has the same words for both ends of the time, and then says on which side the clock is.
        case let text where contains(text, ["not yet valid"]) && contains(text, ["is before"]):
            .clock("the certificate of the server is not yet valid: is the clock of this machine right?")
        case let text where contains(text, accessWords): .access("the remote denies access: \(words)")
        case let text where contains(text, ["didn't find section"]):
            .access("rclone does not know the remote: see rclone config")
        default: .unreachable("rclone failed: \(words)", pause: nil)
        }
    }

    private static let accessWords = [
        "401", "403", "unauthorized", "forbidden", "permission denied", "access denied", "unable to authenticate",
        "x509", "knownhosts", "host key", "token expired",
    ]

    private static func contains(_ text: String, _ words: [String]) -> Bool {
        words.contains { !text.ranges(of: $0).isEmpty }
    }
}
#endif
