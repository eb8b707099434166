// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Judges the live frames of a session by the gates of its stage, and tells what holds.
///
/// It sees frames on a streaming thread, no more than 30 a second of them, and costs next to nothing where nothing is
/// asked for. All else may be called from any thread, and returns at once: it waits for a few assignments, never for a
/// frame.
final class GateWatch: PreviewObserver {
    /// What is found, as it is found: each condition once it is known, and whenever it changes. One task may iterate it.
    let findings: AsyncStream<GateFinding>

    /// What works on the conditions of a stage.
    struct State {
        var board = GateBoard()
        /// What looks at the frames of a camera from the first on; `nil` where nothing is watched.
        var judge: GateJudge?
        /// True until the first frame has come.
        var isFresh = true
        var faces: FaceSearch?
        /// Wakes who reads the accelerometer.
        var sensor: AsyncStream<Void>.Continuation?
        var helpers: [Task<Void, Never>] = []
    }

    private let accelerometer: AccelerometerRequest
    private let tell: AsyncStream<GateFinding>.Continuation
    // Held for a few assignments.
    private let state = Mutex(State())
    // Held while a frame is looked at, by streaming threads alone; inside of it `state` may be taken, not around it.
    private let judge = Mutex<GateJudge?>(nil)

    /// Nothing is watched yet.
    init(accelerometer: AccelerometerRequest = .off) {
        self.accelerometer = accelerometer
        (findings, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    deinit {
        for helper in state.withLock({ $0.helpers }) { helper.cancel() }
        tell.finish()
    }

    /// Judges by these gates from now on, and by no others: for a new stage, and another camera.
    ///
    /// What cannot be judged at all is told at once, the rest after some frames: six of them, or three that faces were
    /// looked for in, 5 a second.
    ///
    /// - Parameters:
    ///   - requests: None to watch nothing.
    ///   - subject: What belongs into the outline; `nil` where there is none.
    /// - Returns: The generation of the findings that belong to it; those of former ones may still come.
    @discardableResult
    func watch(_ requests: [GateRequest], of subject: GateSubject? = nil) -> Int {
        let (board, helpers) = state.withLock { state in
            let helpers = state.helpers
            let board = GateBoard(requests, generation: state.board.generation + 1)
            state = State(board: board, judge: requests.isEmpty ? nil : GateJudge(board, subject))
            return (board, helpers)
        }
        for helper in helpers { helper.cancel() }
        if board.kinds.contains(.present) { prepare(subject, board) }
        if board.kinds.contains(.steady), accelerometer != .off { feel(by: accelerometer, board) }
        return board.generation
    }

    /// How all that is watched stands, by the last frame.
    func scores() -> [GateScore] { state.withLock { $0.board.scores } }

    /// Frames of another camera come from now on, or others of the same: what was seen before is forgotten.
    func meet(_ camera: VideoInfo, _ shown: VideoInfo) { state.withLock { $0.isFresh = true } }

    /// Judges a frame.
    ///
    /// - Parameter taken: When it came from the camera; `nil` for now.
    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?) {
        guard let shift = state.withLock({ $0.beginShift() }) else { return }
        let time = taken ?? PipelineClock.system.now
        let isSeen = judge.withLock { judge in
            if let fresh = shift.fresh { judge = fresh }
            return judge?.look(at: buffer, info, time) { note($1, of: $0, by: .picture, shift.generation) } ?? true
        }
        if !isSeen { excuseFrames(of: info.format, shift.generation) }
        shift.faces?.look(at: buffer, info, time)
        shift.sensor?.yield()
    }
}

extension GateWatch.State {
    /// What a frame is looked at by; `nil` where nothing is watched.
    fileprivate mutating func beginShift() -> GateWatch.Shift? {
        guard let judge else { return nil }
        defer { isFresh = false }
        return GateWatch.Shift(generation: board.generation, fresh: isFresh ? judge : nil, faces: faces, sensor: sensor)
    }
}

extension GateWatch {
    /// What a frame is looked at by.
    fileprivate struct Shift {
        let generation: Int
        /// What looks at it and those that follow, where it is the first.
        let fresh: GateJudge?
        let faces: FaceSearch?
        let sensor: AsyncStream<Void>.Continuation?
    }

    /// Changes something of a generation; of a former one, nothing.
    ///
    /// - Parameter body: It answers with what is to be told.
    /// - Returns: False where a new stage has come.
    @discardableResult
    func change(_ generation: Int, _ body: (inout State) -> GateFinding?) -> Bool {
        state.withLock { state in
            guard state.board.generation == generation else { return false }
            // Under the lock, so that findings come in the order of what they are of.
            if let finding = body(&state) { tell.yield(finding) }
            return true
        }
    }

    /// Takes up what somebody says.
    func note(_ judgement: GateJudgement, of kind: GateRequest.Kind, by judge: GateBoard.Judge, _ generation: Int) {
        change(generation) { $0.board.note(judgement, of: kind, by: judge) }
    }

    /// Takes up that somebody cannot say anything.
    func excuse(_ judge: GateBoard.Judge, of kind: GateRequest.Kind, because reason: String, _ generation: Int) {
        change(generation) { $0.board.excuse(judge, of: kind, because: reason) }
    }

    private func excuseFrames(of format: String, _ generation: Int) {
        let reason = "frames in \(format) cannot be measured"
        for kind in GateRequest.Kind.allCases { excuse(.picture, of: kind, because: reason, generation) }
    }
}
