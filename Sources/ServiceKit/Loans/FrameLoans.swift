// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Synchronization

/// The loans of a service. Any thread may use it.
final class FrameLoans: Sendable {
    /// A loan that ends when the response with its frames is released: the program may be gone before it begins.
    private struct WeakLoan {
        let desk: ObjectIdentifier
        weak var loan: FrameLoan?
    }

    /// A loan whose camera is being opened.
    private struct Opening {
        let desk: ObjectIdentifier
        let task: Task<Result<FrameLoan, CaptureError>, Never>
    }

    private struct State {
        var loans: [String: WeakLoan] = [:]
        var openings: [Int: Opening] = [:]
        var nextOpening = 0
    }

    private let state = Mutex(State())

    /// The maximum number of loans.
    static let most = 8

    /// Opens a camera for a program. Canceling the task ends the wait for the camera.
    ///
    /// - Parameter desk: The desk of the camera.
    /// - Throws: `CaptureError` `.limit` if there are ``most`` loans, and the errors of opening.
    func open(
        _ configuration: CaptureConfiguration, of desk: ObjectIdentifier, hub: CameraHub
    ) async throws(CaptureError) -> FrameLoan {
        let (id, task) = try begin(desk) { () throws(CaptureError) in
            try await FrameLoan(configuration, hub: hub)
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        // In one step: an end finds the opening or the loan.
        state.withLock { state in
            state.openings[id] = nil
            if case .success(let loan) = result { state.loans[loan.id] = WeakLoan(desk: desk, loan: loan) }
        }
        return try result.get()
    }

    private func begin(
        _ desk: ObjectIdentifier, _ open: @escaping @Sendable () async throws(CaptureError) -> FrameLoan
    ) throws(CaptureError) -> (id: Int, task: Task<Result<FrameLoan, CaptureError>, Never>) {
        try state.withLock { state throws(CaptureError) in
            state.loans = state.loans.filter { $0.value.loan != nil }
            guard state.loans.count + state.openings.count < Self.most else {
                throw CaptureError(
                    .limit, "\(Self.most) programs already use cameras of the service", subject: "frames",
                    advice: "end one, or try again later")
            }
            state.nextOpening += 1
            let task = Task<Result<FrameLoan, CaptureError>, Never> {
                do throws(CaptureError) { return .success(try await open()) } catch { return .failure(error) }
            }
            state.openings[state.nextOpening] = Opening(desk: desk, task: task)
            return (state.nextOpening, task)
        }
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

    /// Ends the loans of a desk with this error, also those whose camera is being opened. Returns at once.
    func end(of desk: ObjectIdentifier, _ error: CaptureError) {
        for task in state.withLock({ $0.openings.values.filter { $0.desk == desk }.map(\.task) }) { task.cancel() }
        for loan in loans(of: desk) { loan.end(error) }
    }

    /// Closes the loans of a desk, also those whose program is slow. The camera is free when this returns unless another
    /// job uses it.
    func close(of desk: ObjectIdentifier) async { for loan in loans(of: desk) { await close(loan) } }

    private func loans(of desk: ObjectIdentifier) -> [FrameLoan] {
        state.withLock { $0.loans.values.filter { $0.desk == desk }.compactMap(\.loan) }
    }
}
