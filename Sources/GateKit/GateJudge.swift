// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import CropKit
import FrameMeasures
import PipelineKit
import PresetKit

/// The gates of a stage that judge frames, each with its limits. A value type without thread affinity. It allocates
/// nothing once its buffers exist.
struct GateJudge: Sendable {
    /// The most frames that are judged a second.
    static let rate = 30

    /// The number of frames before the first judgment: as many as a gate needs to change its verdict, so that the
    /// first judgment is no guess.
    static let settling = 6

    private var pace = FramePace(rate: Self.rate)
    private var view = GateView()
    private var seen = 0
    private var steady: SteadyGate?
    private var focus: FocusGate?
    private var light: LightGate?
    /// The limits of light at which the score is 0.5.
    private let usual: LightGate.Limits
    private var aligned: AlignedGate?
    private let outline: [PixelPoint]
    private let contrast: Double
    private var size: PreviewSize?

    /// Creates the gates that a board watches, except for faces.
    init(_ board: GateBoard, _ subject: GateSubject?) {
        func measure(_ scale: GateScale, _ kind: GateRequest.Kind) -> Double? {
            board.threshold(of: kind).map(scale.measure)
        }
        steady = measure(.motion, .steady).map { SteadyGate(tolerance: $0) }
        focus = board.threshold(of: .focus).map { threshold in
            FocusGate(least: threshold, floor: board.request(of: .focus)?.sharpness ?? GateRequest.usualSharpness)
        }
        let usual = LightGate.Limits(board.request(of: .light), subject)
        self.usual = usual
        light = measure(.light, .light).map { LightGate(usual.scaled(by: $0)) }
        contrast = measure(.edges, .present) ?? 0
        outline = board.threshold(of: .present) != nil && subject?.presence == .edges ? subject?.boundary ?? [] : []
    }

    /// Judges a frame if one is due.
    ///
    /// - Parameter emit: Receives the judgment of each gate, once enough frames were seen.
    /// - Returns: `false` if this kind of frame cannot be measured.
    mutating func look(
        at buffer: Buffer, _ info: VideoInfo, _ time: ClockTime,
        emit: (GateRequest.Kind, GateJudgment) -> Void
    ) -> Bool {
        guard pace.takes(time) else { return true }
        guard view.look(at: buffer, info) else { return false }
        lay(on: PreviewSize(width: info.width, height: info.height))
        seen += 1
        let isSettled = seen >= Self.settling
        func judge(_ kind: GateRequest.Kind, _ verdict: GateVerdict?, _ score: (GateVerdict) -> Double) {
            if let verdict, isSettled { emit(kind, GateJudgment(verdict, score: score(verdict))) }
        }
        judge(.steady, steady?.add(view.luma, at: time)) { GateScale.motion.score(of: $0.score / Double(info.width)) }
        judge(.focus, focus?.add(view.sharpness)) { $0.score }
        let lit = light?.add(view.luma)
        judge(.light, lit) { [light, usual] _ in GateScale.light.score(of: light?.measure.room(within: usual) ?? 0) }
        judge(.present, aligned?.add(view.luma)) { GateScale.edges.score(of: $0.score) }
        return true
    }

    /// Converts the outline from parts of the preview to pixels, which the gate uses.
    private mutating func lay(on size: PreviewSize) {
        guard !outline.isEmpty, self.size != size else { return }
        self.size = size
        let corners = outline.map { PixelPoint($0.x * Double(size.width), $0.y * Double(size.height)) }
        aligned = AlignedGate(outline: corners, contrast: contrast)
    }
}
