// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit
import PresetKit

/// Judges a captured picture by the gates of a stage that reject pictures.
///
/// The picture is judged in the size and at the place of the preview, with the limits of the live gates. For `focus`,
/// only the least sharpness counts, because a single picture has no earlier best.
package struct StillJudge: Sendable {
    private let board: GateBoard
    private let subject: GateSubject?

    /// Creates a judge.
    ///
    /// - Parameters:
    ///   - requests: All gates of the stage; those without ``GateRequest/rejectsPictures`` do not count.
    ///   - subject: The subject of the outline; `nil` if there is no outline.
    package init(_ requests: [GateRequest], of subject: GateSubject?) {
        board = GateBoard(requests.filter { $0.rejectsPictures && $0.kind != .steady })
        self.subject = subject
    }

    /// Judges a raw picture.
    ///
    /// - Returns: A finding for each gate that could be judged, in the order of the requests.
    package func findings(on picture: Sample) async -> [GateFinding] {
        guard let buffer = picture.buffer, let info = picture.caps?.videoInfo, !board.kinds.isEmpty else { return [] }
        var judgments = judgments(on: buffer, info)
        if let face = await faceJudgment(on: buffer, info) { judgments[.present] = face }
        var board = board
        return board.kinds.compactMap { kind in
            judgments[kind].flatMap { board.record($0, of: kind, by: .picture) }
        }
    }

    /// Shows the picture to the live gates as often as they need for a verdict.
    private func judgments(on buffer: Buffer, _ info: VideoInfo) -> [GateRequest.Kind: GateJudgment] {
        var (judge, judgments) = (GateJudge(board, subject), [GateRequest.Kind: GateJudgment]())
        for index in 0..<GateJudge.settling {
            let time = ClockTime.zero + .seconds(1) * index
            _ = judge.look(at: buffer, info, time) { judgments[$0] = $1 }
        }
        return judgments
    }

    /// Searches the picture for faces; returns `nil` if no face is expected, or none can be detected here.
    private func faceJudgment(on buffer: Buffer, _ info: VideoInfo) async -> GateJudgment? {
        guard board.kinds.contains(.present), case .face(let share)? = subject?.presence, let subject,
            subject.boundary.count >= 3, GStreamer.hasElement(FaceGate.element)
        else { return nil }
        let box = PixelBox(around: subject.boundary)
        guard let search = try? await FaceSearch.open(expecting: box.width * share) else { return nil }
        let messages = search.messages
        var (gate, judgment) = (FaceGate(board, expecting: box.width * share, in: box, settling: 1), GateJudgment?.none)
        if search.look(at: buffer, info, .zero) {
            for await message in messages {
                if case .error = message.content { break }
                guard case .element(let structure) = message.content,
                    let verdict = gate.add(structure, size: search.size)
                else { continue }
                judgment = GateJudgment(verdict, score: GateScale.face.score(of: verdict.score))
                break
            }
        }
        await search.close()
        return judgment
    }
}
