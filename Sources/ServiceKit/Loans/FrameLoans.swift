// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Synchronization

/// The loans of a service. Any thread may use it.
final class FrameLoans: Sendable {
    /// A loan that ends when the response with its frames is released: the program may be gone before it begins.
    private struct WeakLoan {
        weak var loan: FrameLoan?
    }

    private struct State {
        var loans: [String: WeakLoan] = [:]
        /// The loans whose cameras are being opened.
        var opening = 0
    }

    private let state = Mutex(State())

    /// The maximum number of loans.
    static let most = 8

    /// Opens a camera for a program.
    ///
    /// - Throws: `CaptureError` `.limit` if there are ``most`` loans, and the errors of opening.
    func open(
        _ configuration: CaptureConfiguration, of camera: String, hub: CameraHub
    ) async throws(CaptureError) -> FrameLoan {
        try state.withLock { state throws(CaptureError) in
            state.loans = state.loans.filter { $0.value.loan != nil }
            guard state.loans.count + state.opening < Self.most else {
                throw CaptureError(
                    .limit, "\(Self.most) programs already use cameras of the service", subject: "frames",
                    advice: "end one, or try again later")
            }
            state.opening += 1
        }
        defer { state.withLock { $0.opening -= 1 } }
        let loan = try await FrameLoan(configuration, of: camera, hub: hub)
        state.withLock { $0.loans[loan.id] = WeakLoan(loan: loan) }
        return loan
    }

    /// Returns the loan with a name.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    func loan(_ id: String) throws(CaptureError) -> FrameLoan {
        guard let loan = state.withLock({ $0.loans[id]?.loan }) else { throw .unknown("loan", id) }
        return loan
    }

    /// Closes a loan.
    func close(_ loan: FrameLoan) async {
        state.withLock { _ = $0.loans.removeValue(forKey: loan.id) }
        await loan.close()
    }

    /// Ends the loans of a camera; of all cameras by default.
    func end(of camera: String? = nil, _ error: CaptureError) {
        let loans = state.withLock {
            $0.loans.values.compactMap(\.loan).filter { camera == nil || $0.cameraID == camera }
        }
        for loan in loans { loan.end(error) }
    }
}
