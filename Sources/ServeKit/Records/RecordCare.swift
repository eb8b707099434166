// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Logging
import RecordKit
import ServiceLifecycle

/// The daily work of the records of a service: records whose time is over end, pictures without records are removed, and
/// the database is copied.
struct RecordCare: Service {
    private let desk: RecordDesk
    private let logger: Logger

    /// How often the age of the copy is looked at. The work itself is done once a day.
    private static let pause = Duration.seconds(3600)

    init(_ desk: RecordDesk, _ logger: Logger) { (self.desk, self.logger) = (desk, logger) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var failure: CaptureError?
            while !Task.isCancelled {
                do {
                    if let care = try await desk.perform({ try $0.careDaily() }) { report(care) }
                    failure = nil
                } catch {
                    let error = error as? CaptureError
                    // A fault that lasts is logged once.
                    if let error, error != failure { logger.error("records: \(error)") }
                    failure = error
                }
                try? await Task.sleep(for: Self.pause, clock: .suspending)
            }
        }
    }

    private func report(_ care: RecordStore.Care) {
        guard care.expired + care.purged + care.collected > 0 else { return }
        logger.notice(
            "records: \(care.expired) expired, \(care.purged) erased; \(care.collected) pictures without records removed"
        )
    }
}
#endif
