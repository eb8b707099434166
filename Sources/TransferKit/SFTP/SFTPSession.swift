// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import Glibc
import UploadKit

/// Requests to an SFTP server, each with the same login.
struct SFTPSession {
    let session: CurlSession
    private let address: ServerAddress
    private let options: [CurlOption]

    /// - Throws: ``TransferFault/access(_:)`` if the key or the password cannot be read.
    init(
        _ session: CurlSession, _ address: ServerAddress, _ login: UploadTarget.SFTP
    ) throws(TransferFault) {
        (self.session, self.address) = (session, address)
        var options: [CurlOption] = [
            .text(CURLOPT_USERNAME, login.user), .text(CURLOPT_SSH_HOST_PUBLIC_KEY_SHA256, login.hostKey),
        ]
        let password = try login.password?.value()
        if let key = login.keyFile {
            // libcurl reports a file that it cannot read as a key that the server refuses.
            for path in [key, key + ".pub"] where access(path, R_OK) != 0 {
                throw .access("the key \(path) cannot be read: \(CaptureError.systemMessage(errno))")
            }
            options += [
                .number(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PUBLICKEY)),
                .text(CURLOPT_SSH_PRIVATE_KEYFILE, key), .text(CURLOPT_SSH_PUBLIC_KEYFILE, key + ".pub"),
            ]
            if let password { options.append(.text(CURLOPT_KEYPASSWD, password)) }
        } else {
            options.append(.number(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD)))
            options.append(.text(CURLOPT_PASSWORD, password ?? ""))
        }
        self.options = options
    }

    /// Stores a picture under a name, and creates its folders. Continues a file that is shorter.
    ///
    /// - Returns: The number of bytes that were sent.
    func put(_ file: PictureFile, _ name: String, resumes: Bool) throws(CurlFailure) -> Int {
        var request = request(
            name,
            [
                .number(CURLOPT_FTP_CREATE_MISSING_DIRS, 1),
                // -1: libcurl asks the server for the size of the file, and skips as much of the picture.
                .size(CURLOPT_RESUME_FROM_LARGE, resumes ? -1 : 0),
            ])
        request.body = .file(file, 0..<file.byteCount)
        return try session.perform(request).sentCount
    }

    /// Reads a file of the server, and compares it with a picture. A file that is longer is not read to its end.
    func readBack(_ upload: Upload, _ name: String) throws(TransferFault) -> ReadBack {
        var request = request(name, [])
        request.answer = .digest(most: upload.byteCount)
        do throws(CurlFailure) {
            let response = try session.perform(request)
            return response.byteCount == upload.byteCount && response.sha256 == upload.sha256 ? .same : .other
        } catch {
            if case .tooLong = error.cause { return .other }
            if error.isOne(of: CURLE_REMOTE_FILE_NOT_FOUND) { return .missing }
            throw error.fault
        }
    }

    /// Returns `true` if the server has a file: its first byte can be read.
    func has(_ name: String) throws(TransferFault) -> Bool {
        do throws(CurlFailure) {
            _ = try session.perform(request(name, [.text(CURLOPT_RANGE, "0-0")]))
            return true
        } catch {
            if error.isOne(of: CURLE_REMOTE_FILE_NOT_FOUND) { return false }
            throw error.fault
        }
    }

    /// Fetches a file.
    ///
    /// - Returns: `false` if the server does not have it.
    func fetch(_ download: Download, _ name: String) throws(TransferFault) -> Bool {
        try FetchedFile.fetch(download) { file throws(TransferFault) in
            var request = request(name, [])
            request.answer = .file(file)
            do throws(CurlFailure) {
                _ = try session.perform(request)
                return true
            } catch {
                if error.isOne(of: CURLE_REMOTE_FILE_NOT_FOUND) { return false }
                throw error.fetchFault
            }
        }
    }

    /// Gives a file another name. OpenSSH refuses a name that exists.
    func rename(_ name: String, _ other: String) throws(CurlFailure) {
        try command("rename \(quoted(name)) \(quoted(other))")
    }

    /// Erases a file. A file that is missing is success.
    func erase(_ name: String) throws(TransferFault) {
        do throws(CurlFailure) {
            try command("rm \(quoted(name))")
        } catch {
            if !error.isMissing { throw error.commandFault }
        }
    }

    private func request(_ name: String, _ options: [CurlOption]) -> CurlRequest {
        CurlRequest(address.url(name), options: self.options + options)
    }

    /// Runs a command of libcurl (`CURLOPT_QUOTE`). The address is the root: with its slash and without a body nothing
    /// is read there.
    private func command(_ line: String) throws(CurlFailure) {
        var request = CurlRequest(address.server + "/", options: options + [.list(CURLOPT_QUOTE, [line])])
        request.isHeadOnly = true
        _ = try session.perform(request)
    }

    /// Returns the path of a file for a command: in quotation marks, with a backslash before each `"` and `\`. Paths
    /// below `~` are relative, because libcurl replaces `/~/` only in addresses.
    private func quoted(_ name: String) -> String {
        var path = address.decodedPath + "/" + name
        if path.hasPrefix("/~/") { path = String(path.dropFirst(3)) }
        var text = "\""
        for character in path.unicodeScalars {
            if character == "\"" || character == "\\" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }
}

// The code of a command that failed is the same for each reason; the reason is in the words of libcurl (ssh.c).
extension CurlFailure {
    /// `true` if a command failed because there is no such file.
    var isMissing: Bool { isOne(of: CURLE_QUOTE_ERROR) && message.hasSuffix("No such file or directory") }

    /// The fault of a command.
    var commandFault: TransferFault {
        guard isOne(of: CURLE_QUOTE_ERROR) else { return fault }
        if message.hasSuffix("Permission denied") { return .access("the server denies access to the folder") }
        return .unreachable("the server cannot do it: \(message)", pause: nil)
    }
}
#endif
