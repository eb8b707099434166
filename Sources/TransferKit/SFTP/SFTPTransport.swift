// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import SystemBase
import UploadKit

/// Sends pictures to an SFTP server.
///
/// A picture is stored under a hidden name, resumed there after an interruption, and renamed when it is complete. Two
/// programs must not send the same picture under the same name at a time: libcurl cannot create a file exclusively.
struct SFTPTransport: FetchingTransport {
    let confirmation = Confirmation.readBack
    let canErase = true
    private let address: ServerAddress
    private let login: UploadTarget.SFTP
    private let client: CurlClient

    init(_ target: UploadTarget, _ login: UploadTarget.SFTP, stallLimit: Int) throws(CaptureError) {
        address = try ServerAddress(target.address, schemes: ["sftp"])
        guard address.decodedPath.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), !target.address.contains("?") else {
            throw CaptureError(.configuration, "is not a folder of an SFTP server", subject: target.address)
        }
        // libcurl accepts any key if this is empty.
        guard Base64.decoded(login.hostKey + "=")?.count == 32 else {
            throw CaptureError(
                .configuration, "the host key is not the SHA-256 of a key in Base64", subject: target.address,
                advice: "take what ssh-keygen -lf prints after SHA256: for the server's key")
        }
        self.login = login
        client = CurlClient(target, "sftp", stallLimit: stallLimit)
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in
            let file = try PictureFile(upload, session.session.cancellation)
            let part = name.part(upload.sha256)
            do throws(TransferFault) {
                try store(file, upload, part, session)
                return try rename(part, upload, session)
            } catch {
                // A part that stays is resumed, unless its picture will not be sent.
                if !error.isOfConnection { try? session.erase(part) }
                throw error
            }
        }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in
            try session.readBack(upload, name.text).confirmation()
        }
    }

    func has(_ name: String) async throws(TransferFault) -> Bool {
        let name = try PictureName(name)
        return try await run { session throws(TransferFault) in try session.has(name.text) }
    }

    func fetch(_ download: Download) async throws(TransferFault) -> Bool {
        let name = try PictureName(download.name)
        return try await run { session throws(TransferFault) in try session.fetch(download, name.text) }
    }

    func erase(_ name: String) async throws(TransferFault) {
        let name = try PictureName(name)
        try await run { session throws(TransferFault) in try session.erase(name.text) }
    }

    private func run<Success: Sendable>(
        _ body: @escaping @Sendable (SFTPSession) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        try await client.run { session throws(TransferFault) in try body(try SFTPSession(session, address, login)) }
    }

    /// Stores a picture under its hidden name. A part of an earlier attempt is read back after it was resumed: a server
    /// that lost power can have kept another content than it confirmed.
    private func store(
        _ file: PictureFile, _ upload: Upload, _ part: String, _ session: SFTPSession
    ) throws(TransferFault) {
        let sent = try put(file, part, session)
        if sent == file.byteCount { return }
        if case .same = try session.readBack(upload, part) { return }
        do throws(CurlFailure) {
            _ = try session.put(file, part, resumes: false)
        } catch {
            throw error.storeFault
        }
    }

    /// Sends a picture, or what an earlier attempt has left of it.
    ///
    /// libcurl reports a full disk as it reports a connection that broke. A second attempt tells them apart: a full
    /// disk takes no byte more.
    private func put(_ file: PictureFile, _ part: String, _ session: SFTPSession) throws(TransferFault) -> Int {
        do throws(CurlFailure) {
            return try session.put(file, part, resumes: true)
        } catch {
            guard error.isOne(of: CURLE_SSH, CURLE_SEND_ERROR), error.didRead else { throw error.storeFault }
        }
        do throws(CurlFailure) {
            return try session.put(file, part, resumes: true)
        } catch {
            let isFull = error.isOne(of: CURLE_SSH, CURLE_SEND_ERROR) && error.didRead && error.sentCount == 0
            throw isFull ? .full("the server cannot write the file: is its disk full?") : error.storeFault
        }
    }

    /// Gives the picture its name if no file has it.
    private func rename(_ part: String, _ upload: Upload, _ session: SFTPSession) throws(TransferFault) -> Delivery {
        do throws(CurlFailure) {
            try session.rename(part, upload.name)
            return .stored
        } catch {
            // The server gives no reason: the name is taken, or another sender of the same picture renamed the part.
            let found = try session.readBack(upload, upload.name)
            if case .missing = found { throw error.commandFault }
            let delivery = try found.delivery()
            try? session.erase(part)
            return delivery
        }
    }
}

extension CurlFailure {
    /// The fault of an upload.
    fileprivate var storeFault: TransferFault {
        if isOne(of: CURLE_REMOTE_FILE_NOT_FOUND) {
            return .missing("the folder does not exist at the server, and cannot be created")
        }
        // The server could not open the file.
        if isOne(of: CURLE_SSH), message.hasPrefix("Upload failed") {
            return .full("the server cannot create the file: is its disk full?")
        }
        return fault
    }
}
#endif
