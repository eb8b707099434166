// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The end of an attempt to erase a picture.
enum Erasure: Sendable, Hashable {
    case erased
    /// The target does not have the picture under that name.
    case missing
    /// The target does not tell whether it has the picture, so that nothing is erased.
    case unreadable(String)

    /// Erases the picture of a job. If it is not known to be at the target, it is read first: the file of that name may be
    /// another one.
    static func run(_ job: UploadJob, _ transport: any Transport) async throws(TransferFault) -> Erasure {
        if job.isDoubtful {
            do throws(TransferFault) {
                _ = try await transport.confirm(job.upload)
            } catch {
                switch error {
                case .damaged, .nameTaken: return .missing
                case .refused(let reason): return .unreadable(reason)
                default: throw error
                }
            }
        }
        try await transport.erase(job.name)
        return .erased
    }
}
