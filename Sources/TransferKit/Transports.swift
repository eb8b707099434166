// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import SystemBase
import UploadKit

/// Makes the transports of targets.
package enum Transports {
    /// How a test of a target went.
    package struct RoundTrip: Sendable, Hashable {
        /// How the target has confirmed the file.
        package let confirmation: Confirmation
        /// The time from the first request to the last.
        package let duration: Duration
        /// `true` if the file was erased again; `false` if the target cannot erase.
        package let isErased: Bool
    }

    /// Creates the transport of a target. It does not connect yet.
    ///
    /// - Throws: `CaptureError` if the address or a template is invalid, or a program is missing.
    package static func make(_ target: UploadTarget) throws(CaptureError) -> any FetchingTransport {
        try make(target, stallLimit: 60)
    }

    /// - Parameter stallLimit: How long a server may be silent, in seconds.
    static func make(_ target: UploadTarget, stallLimit: Int) throws(CaptureError) -> any FetchingTransport {
        switch target.service {
        case .s3(let bucket): try S3Transport(target, bucket, stallLimit: stallLimit)
        case .webdav(let login): try WebDAVTransport(target, login, stallLimit: stallLimit)
        case .sftp(let login): try SFTPTransport(target, login, stallLimit: stallLimit)
        case .http(let settings): try HTTPTransport(target, settings, stallLimit: stallLimit)
        case .rclone: try RcloneTransport(target)
        }
    }

    /// Delivers a file of one byte under a new name, confirms it, and erases it if the target can.
    ///
    /// - Throws: The first fault; ``TransferFault/access(_:)`` if the target's settings are invalid.
    package static func test(_ target: UploadTarget) async throws(TransferFault) -> RoundTrip {
        let transport: any Transport
        do throws(CaptureError) {
            transport = try make(target)
        } catch {
            throw .access(error.description)
        }
        let (start, file) = (ContinuousClock.now, try TestFile())
        defer { file.remove() }
        let confirmation: Confirmation =
            switch try await transport.deliver(file.upload, token: nil, keep: { _ in }) {
            case .confirmed(let confirmation): confirmation
            case .stored: try await transport.confirm(file.upload)
            }
        if transport.canErase { try await transport.erase(file.upload.name) }
        return RoundTrip(confirmation: confirmation, duration: .now - start, isErased: transport.canErase)
    }
}

/// A file of one byte in the folder for temporary files.
private struct TestFile {
    let upload: Upload

    private static let content = Array("x".utf8)

    init() throws(TransferFault) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/gst-capture-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Self.fault(folder) }
        defer { close(descriptor) }
        let file = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard write(descriptor, Self.content, Self.content.count) == Self.content.count else {
            unlink(file)
            throw Self.fault(folder)
        }
        let digits = UInt64.random(in: 0...UInt64.max).padded(to: 16, radix: 16)
        let (name, sum) = (".gst-capture-test-\(digits)", SHA256.digits(of: Self.content))
        let values = [
            "board": "test", "series": "test", "camera": "test", "taken": WallTime.now().iso8601, "file": name,
            "name": name, "sha256": sum, "bytes": "\(Self.content.count)", "id": digits,
        ]
        upload = Upload(path: file, byteCount: Self.content.count, sha256: sum, name: name, values: values)
    }

    func remove() { unlink(upload.path) }

    private static func fault(_ folder: String) -> TransferFault {
        .changed("no file can be written in \(folder): \(CaptureError.systemMessage(errno))")
    }
}
#endif
