// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor

/// The gates of a session: starts and stops their judges, and keeps the hints of gates that do not hold.
///
/// The owner must call ``stop()``, and then await ``close()``.
struct SessionGates {
    private let watch: GateWatch
    /// Draws the outline whose subject is judged; `nil` to judge no subject.
    private let planner: OverlayPlanner?
    private var requests: [GateRequest] = []
    private var hintsByKind: [GateRequest.Kind: GateHint] = [:]
    /// Draws the outline, then starts the judges.
    private var starting = TaskChain()

    /// - Parameter planner: Draws outlines; `nil` to judge no subject.
    init(_ watch: GateWatch, _ planner: OverlayPlanner?) { (self.watch, self.planner) = (watch, planner) }

    /// Each gate's finding; only one task may iterate the stream.
    var findings: AsyncStream<GateFinding> { watch.findings }

    /// The score of each gate, as of the last frame.
    var scores: [GateScore] { watch.scores() }

    /// The hints of gates that do not hold, in the order of the kinds.
    var hints: [String] { GateRequest.Kind.allCases.compactMap { hintsByKind[$0]?.rawValue } }

    /// Judges frames of this size by these gates only. Returns at once; the gates start when the outline is drawn.
    mutating func judge(by requests: [GateRequest], in outline: Outline?, on size: PreviewSize) {
        self.requests = requests
        judgeAgain(in: outline, on: size)
    }

    /// Judges frames of another size by the same gates, from fresh verdicts.
    mutating func judgeAgain(in outline: Outline?, on size: PreviewSize) {
        let former = clear()
        guard !requests.isEmpty else { return }
        starting.add { [watch, planner, requests] in
            guard !Task.isCancelled else { return }
            let subject = await GateSubject(of: outline, on: size, by: planner)
            watch.watch(requests, of: subject, replacing: former)
        }
    }

    /// Judges no more frames.
    mutating func stop() {
        requests = []
        clear()
    }

    @discardableResult
    private mutating func clear() -> Int {
        hintsByKind = [:]
        starting.cancelLast()
        return watch.watch([])
    }

    /// Handles a finding.
    ///
    /// - Returns: `false` if the finding belongs to earlier gates, and is ignored.
    mutating func handle(_ finding: GateFinding) -> Bool {
        guard finding.generation == watch.generation else { return false }
        hintsByKind[finding.kind] = finding.holds ? nil : finding.hint
        return true
    }

    /// Stops all judges. Returns when no outline is drawn and no frame is judged any more.
    func close() async {
        await starting.finish()
        await watch.close()
    }
}

extension GateSubject {
    /// Creates the subject of an outline; `nil` if there is no outline, or if it cannot be drawn, which the overlay
    /// reports.
    init?(of outline: Outline?, on size: PreviewSize, by planner: OverlayPlanner?) async {
        guard let outline, let planner,
            let subject = try? await Self(of: outline, SessionComposer.outlinePlacement, on: size, by: planner)
        else { return nil }
        self = subject
    }
}
