// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import UploadKit

extension SecretSource {
    /// Reads the password or the key. Blocks.
    ///
    /// - Throws: ``TransferFault/access(_:)`` if it cannot be read.
    package func value() throws(TransferFault) -> String {
        switch self {
        case .file(let path): return try Self.line(path)
        case .variable(let name):
            guard let text = getenv(name), text.pointee != 0 else { throw .access("the variable \(name) is not set") }
            return String(cString: text)
        case .credential(let name):
            guard let folder = getenv("CREDENTIALS_DIRECTORY") else {
                throw .access("the service manager gives no credentials; add LoadCredential=\(name) to the service")
            }
            return try Self.line("\(String(cString: folder))/\(name)")
        }
    }

    private static func line(_ path: String) throws(TransferFault) -> String {
        do throws(CaptureError) {
            return try SecretFile.line(path)
        } catch {
            throw .access("the secret cannot be read: \(error)")
        }
    }
}
#endif
