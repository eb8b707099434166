// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing
import UploadKit

@testable import TransferKit

extension Transport {
    /// Delivers a picture, and confirms it if the delivery did not.
    func send(_ upload: Upload) async throws(TransferFault) -> UploadKit.Confirmation {
        switch try await deliver(upload, token: nil, keep: { _ in }) {
        case .confirmed(let confirmation): confirmation
        case .stored: try await confirm(upload)
        }
    }

    /// Returns the fault of a delivery.
    func fault(_ upload: Upload) async -> TransferFault? {
        do throws(TransferFault) {
            _ = try await send(upload)
            return nil
        } catch {
            return error
        }
    }
}

extension TransferFault {
    /// The name of the case.
    var kind: String { String("\(self)".prefix { $0 != "(" }) }
}

extension Upload {
    /// The bytes of the file.
    var bytes: [UInt8] { Array(FileManager.default.contents(atPath: path) ?? Data()) }
}
#endif
