// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The gates of a stage that look at frames, each with what is asked of it. A value, of no thread; once its memory is
/// there it allocates nothing.
struct GateJudge: Sendable {
    /// The most frames that are looked at a second.
    static let rate = 30

    /// So many frames pass before anything is said, as many as gates take to make up their mind: the first word is no
    /// guess.
    private static let settling = 6

    private var pace = FramePace(rate: Self.rate)
    private var view = GateView()
    private var seen = 0
    private var steady: SteadyGate?
    private var focus: FocusGate?
    private var light: LightGate?
    /// The limits of light that score 0.5.
    private let usual: LightGate.Limits
    private var aligned: AlignedGate?
    private let outline: [PixelPoint]
    private let contrast: Double
    private var size: PreviewSize?

    /// Judges what a board watches, but for faces.
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

    /// Looks at a frame, if it is time for one.
    ///
    /// - Parameter say: Takes what each gate says, as soon as they know.
    /// - Returns: False where this kind of frame cannot be measured.
    mutating func look(
        at buffer: Buffer, _ info: VideoInfo, _ time: ClockTime,
        say: (GateRequest.Kind, GateJudgement) -> Void
    ) -> Bool {
        guard pace.takes(time) else { return true }
        guard view.look(at: buffer, info) else { return false }
        lay(on: PreviewSize(width: info.width, height: info.height))
        seen += 1
        let isSettled = seen >= Self.settling
        func tell(_ kind: GateRequest.Kind, _ verdict: GateVerdict?, _ score: (GateVerdict) -> Double) {
            if let verdict, isSettled { say(kind, GateJudgement(verdict, score: score(verdict))) }
        }
        tell(.steady, steady?.add(view.luma, at: time)) { GateScale.motion.score(of: $0.score / Double(info.width)) }
        tell(.focus, focus?.add(view.sharpness)) { $0.score }
        let lit = light?.add(view.luma)
        tell(.light, lit) { [light, usual] _ in GateScale.light.score(of: light?.measure.room(within: usual) ?? 0) }
        tell(.present, aligned?.add(view.luma)) { GateScale.edges.score(of: $0.score) }
        return true
    }

    /// The outline is in parts of the preview, the gate counts in its pixels.
    private mutating func lay(on size: PreviewSize) {
        guard !outline.isEmpty, self.size != size else { return }
        self.size = size
        let corners = outline.map { PixelPoint($0.x * Double(size.width), $0.y * Double(size.height)) }
        aligned = AlignedGate(outline: corners, contrast: contrast)
    }
}
