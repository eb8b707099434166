// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import PresetKit
import Synchronization

/// Judges the live frames of a session by the gates of its stage, and emits findings.
///
/// It handles frames on a streaming thread, at most 30 a second, and costs next to nothing if no gate is watched. All
/// other methods may be called from any thread, and all but ``close()`` return at once: they wait for a few
/// assignments, never for a frame.
package final class GateWatch: PreviewObserver {
    /// Each gate's finding, emitted once the gate is known and on every change. Only one task may iterate the stream.
    package let findings: AsyncStream<GateFinding>

    /// The state of the current stage.
    struct State {
        var board = GateBoard()
        /// The judge that starts with a camera's first frame; `nil` if nothing is watched.
        var judge: GateJudge?
        /// `true` until the first frame arrives.
        var isFresh = true
        var faces: FaceSearch?
        /// Wakes the reader of the accelerometer.
        var sensor: AsyncStream<Void>.Continuation?
        var helpers: [Task<Void, Never>] = []
    }

    private let accelerometer: AccelerometerRequest
    private let continuation: AsyncStream<GateFinding>.Continuation
    // Locked only for a few assignments.
    private let state = Mutex(State())
    // Locked while a streaming thread judges a frame, and only then. Lock order: `state` may be locked inside it, never
    // around it.
    private let judge = Mutex<GateJudge?>(nil)
    /// Waits for the helpers that were canceled.
    private let departures = Mutex(TaskChain())

    /// Creates a watch without gates.
    package init(accelerometer: AccelerometerRequest = .off) {
        self.accelerometer = accelerometer
        (findings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    deinit {
        for helper in state.withLock({ $0.helpers }) { helper.cancel() }
        continuation.finish()
    }

    /// Replaces the watched gates: for a new stage, or another camera.
    ///
    /// The watch reports a gate that cannot be judged as soon as that is known, and the others after some frames: six,
    /// or three frames searched for faces, at 5 a second.
    ///
    /// - Parameters:
    ///   - requests: The gates; empty to watch nothing.
    ///   - subject: The subject of the outline; `nil` if there is no outline.
    ///   - former: The generation that these gates replace: the call does nothing if another one came in between. `nil`
    ///     to replace any.
    /// - Returns: The generation of the findings that follow from this call; findings of earlier generations may still
    ///   come.
    @discardableResult
    package func watch(_ requests: [GateRequest], of subject: GateSubject? = nil, replacing former: Int? = nil) -> Int {
        let (board, helpers) = state.withLock { state -> (GateBoard, [Task<Void, Never>]?) in
            guard former == nil || former == state.board.generation else { return (state.board, nil) }
            let helpers = state.helpers
            let board = GateBoard(requests, generation: state.board.generation + 1)
            state = State(board: board, judge: requests.isEmpty ? nil : GateJudge(board, subject))
            return (board, helpers)
        }
        guard let helpers else { return board.generation }
        dismiss(helpers)
        if board.kinds.contains(.present) { prepare(subject, board) }
        if board.kinds.contains(.steady), accelerometer != .off { feel(by: accelerometer, board) }
        return board.generation
    }

    /// The generation of the findings that follow from the latest ``watch(_:of:replacing:)``.
    package var generation: Int { state.withLock { $0.board.generation } }

    /// Watches nothing more. Returns when all helpers have ended, and the pipeline that searches for faces is stopped.
    package func close() async {
        watch([])
        await departures.withLock { $0 }.finish()
    }

    /// Cancels helpers; ``close()`` waits for them.
    func dismiss(_ helpers: [Task<Void, Never>]) {
        guard !helpers.isEmpty else { return }
        for helper in helpers { helper.cancel() }
        departures.withLock { departures in
            departures.add { for helper in helpers { await helper.value } }
        }
    }

    /// Returns the score of each watched gate, as of the last frame.
    package func scores() -> [GateScore] { state.withLock { $0.board.scores } }

    /// Handles a change of the camera or of its frames: the next frame starts with fresh gates.
    package func setFormats(_ camera: VideoInfo, _ shown: VideoInfo) { state.withLock { $0.isFresh = true } }

    /// Judges a frame.
    ///
    /// - Parameter taken: When the frame entered the preview; `nil` for now.
    package func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?) {
        guard let shift = state.withLock({ $0.beginShift() }) else { return }
        let time = taken ?? PipelineClock.system.now
        let isSeen = judge.withLock { judge in
            if let fresh = shift.fresh { judge = fresh }
            return judge?.look(at: buffer, info, time) { record($1, of: $0, by: .picture, shift.generation) } ?? true
        }
        if !isSeen { excuseFrames(of: info.format, shift.generation) }
        shift.faces?.look(at: buffer, info, time)
        shift.sensor?.yield()
    }
}

extension GateWatch.State {
    /// Returns the consumers of a frame; `nil` if nothing is watched.
    fileprivate mutating func beginShift() -> GateWatch.Shift? {
        guard let judge else { return nil }
        defer { isFresh = false }
        return GateWatch.Shift(generation: board.generation, fresh: isFresh ? judge : nil, faces: faces, sensor: sensor)
    }
}

extension GateWatch {
    /// The consumers of a frame.
    fileprivate struct Shift {
        let generation: Int
        /// A new judge for this frame and later ones, if this is the first frame; `nil` otherwise.
        let fresh: GateJudge?
        let faces: FaceSearch?
        let sensor: AsyncStream<Void>.Continuation?
    }

    /// Changes the state of a generation; does nothing for an earlier one.
    ///
    /// - Parameter body: Returns the finding to emit, if any.
    /// - Returns: `false` if a new stage has begun.
    @discardableResult
    func change(_ generation: Int, _ body: (inout State) -> GateFinding?) -> Bool {
        state.withLock { state in
            guard state.board.generation == generation else { return false }
            // Emits under the lock, so that findings keep the order of the changes.
            if let finding = body(&state) { continuation.yield(finding) }
            return true
        }
    }

    /// Records a judgment, and emits a finding if the gate has changed.
    func record(_ judgment: GateJudgment, of kind: GateRequest.Kind, by judge: GateBoard.Judge, _ generation: Int) {
        change(generation) { $0.board.record(judgment, of: kind, by: judge) }
    }

    /// Records that a judge is unavailable, and emits a finding if the gate has changed.
    func excuse(_ judge: GateBoard.Judge, of kind: GateRequest.Kind, because reason: String, _ generation: Int) {
        change(generation) { $0.board.excuse(judge, of: kind, because: reason) }
    }

    private func excuseFrames(of format: String, _ generation: Int) {
        let reason = "frames in \(format) cannot be measured"
        for kind in GateRequest.Kind.allCases { excuse(.picture, of: kind, because: reason, generation) }
    }
}
