// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Logging
import NIOSSL
import ServiceKit
import Synchronization
import SystemBase

/// The certificate and key of the service. New connections use the newest one.
package final class TLSIdentity: Sendable {
    /// The paths of the files.
    package let files: TLSFiles

    private let current: Mutex<(context: NIOSSLContext, bytes: [[UInt8]])>
    private let logger = Logger(label: "gst-capture")

    private static let mostBytes = 1 << 20

    /// Reads the files. Blocks.
    ///
    /// - Throws: `CaptureError` if a file cannot be read, or the key is not that of the certificate.
    package init(_ files: TLSFiles) throws(CaptureError) {
        self.files = files
        let bytes = try Self.read(files)
        current = Mutex((try Self.context(files, bytes), bytes))
    }

    /// The newest certificate and key.
    var context: NIOSSLContext { current.withLock { $0.context } }

    /// Reads the files again if they have changed. Keeps the present certificate if they have a mistake.
    package func reload() async {
        do throws(CaptureError) {
            let files = files
            let bytes = try await BlockingWork.run { () throws(CaptureError) in try Self.read(files) }
            guard bytes != current.withLock({ $0.bytes }) else { return }
            let context = try await BlockingWork.run { () throws(CaptureError) in try Self.context(files, bytes) }
            current.withLock { $0 = (context, bytes) }
            logger.notice("certificate reloaded")
        } catch {
            logger.error("certificate not reloaded, the earlier one stays: \(error)")
        }
    }

    private static func read(_ files: TLSFiles) throws(CaptureError) -> [[UInt8]] {
        let paths = [files.certificate, files.key]
        return try paths.map { path throws(CaptureError) in try RegularFile.read(path, most: mostBytes) }
    }

    private static func context(_ files: TLSFiles, _ bytes: [[UInt8]]) throws(CaptureError) -> NIOSSLContext {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(bytes[0]) } catch { chain = [] }
        guard !chain.isEmpty else { throw mistake("is not a certificate in PEM", files.certificate) }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: bytes[1], format: .pem)
        } catch {
            throw mistake("is not a private key in PEM without a password", files.key)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw mistake("is not the key of \(files.certificate)", files.key)
        }
    }

    private static func mistake(_ message: String, _ path: String) -> CaptureError {
        CaptureError(
            .configuration, message, subject: RegularFile.display(path), advice: "correct tls: in the configuration")
    }
}
#endif
