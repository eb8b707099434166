// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import RecordKit
import UploadKit

extension RecordRemoteFault {
    /// The thing at a backend that a request is about.
    enum Subject: String {
        case collection, record, file
    }

    /// Creates the fault of a response; `nil` for a success.
    init?(_ response: CurlResponse, _ subject: Subject) {
        switch (response.status, subject) {
        case (304, _): self = .damaged("the backend answers 304 to a request that has no condition")
        case (403, .record), (403, .file): self = .refused("the backend denies access to the \(subject) (403)")
        case (404, _), (410, _): self = .missing("the backend does not have the \(subject) (\(response.status))")
        case (412, _): self = .changed(nil)
        case (400, .collection): self = .damaged("the backend does not understand the request (400)")
        case (let status, .collection) where 413...499 ~= status && ![423, 425, 429].contains(status):
            self = .damaged("the backend refuses the request (\(status))")
        case (0...199, _): self = .damaged("the backend answers with the status \(response.status)")
        default:
            guard let fault = TransferFault(response, item: subject.rawValue, place: "address") else { return nil }
            self.init(fault)
        }
    }

    /// Creates the same fault as of a transfer.
    init(_ fault: TransferFault) {
        switch fault {
        case .unreachable(let reason, let pause): self = .temporary(reason, pause: pause)
        case .full(let reason): self = .temporary(reason, pause: Self.pauseOfFullDisk)
        case .clock(let reason): self = .temporary(reason, pause: nil)
        case .access(let reason): self = .unauthorized(reason)
        case .missing(let reason): self = .missing(reason)
        case .refused(let reason), .gone(let reason), .changed(let reason): self = .refused(reason)
        case .nameTaken: self = .changed(nil)
        case .damaged(let reason): self = .damaged(reason)
        case .canceled: self = .canceled
        }
    }

    /// Returns the same fault with another reason.
    func withReason(_ reason: String) -> RecordRemoteFault {
        switch self {
        case .temporary(_, let pause): .temporary(reason, pause: pause)
        case .refused: .refused(reason)
        case .unauthorized: .unauthorized(reason)
        case .damaged: .damaged(reason)
        case .missing: .missing(reason)
        case .changed, .canceled: self
        }
    }

    /// A person has to make room.
    private static let pauseOfFullDisk = Duration.seconds(3600)
}
#endif
