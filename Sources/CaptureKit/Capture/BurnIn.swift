// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Draws layers into frames that are to be encoded, upright and at their full size.
///
/// What cannot be drawn never costs a picture: it is stored without that layer, and a notice tells so once. One frame at
/// a time; ``close()`` ends it.
final class BurnIn {
    /// What is shown of a still besides its time.
    struct Facts {
        let time: WallTime
        let sequence: Int
        let camera: String
        let offset: Duration
    }

    private let layers: [Layer]
    private let appearance: Style
    private let planner: OverlayPlanner?
    private let decoder: StillEncoder
    private var pool: FramePool?
    /// Layers that took too long, and until when they are left out.
    private var resting: [String: ClockTime] = [:]
    private var told: Set<String> = []
    private var notices: [String] = []

    /// A layer that took too long is not tried again before: each attempt costs a picture its time.
    private static let rest = Duration.seconds(60)

    /// - Parameter rasteriser: What draws; without one there is just a notice.
    /// - Returns: `nil` where nothing is to be drawn.
    init?(_ configuration: CaptureConfiguration, _ rasteriser: (any Rasteriser)?) {
        guard !configuration.burnIn.isEmpty else { return nil }
        layers = configuration.burnIn
        appearance = configuration.appearance
        planner = rasteriser.map { OverlayPlanner($0) }
        decoder = StillEncoder(
            format: .raw, quality: 100, orientation: configuration.orientation, isForDrawing: true)
    }

    /// Builds what decodes and turns ahead of the first frame, where the format is known already.
    func prepare(for caps: Caps) async throws(CaptureError) { try await decoder.prepare(for: caps) }

    /// The frame as raw video, upright, with the layers in it.
    ///
    /// - Throws: ``CaptureError`` where the frame cannot be decoded.
    func draw(on sample: Sample, _ facts: Facts) async throws(CaptureError) -> Sample {
        let clean = try await decoder.convert(sample)
        guard let buffer = clean.buffer, let caps = clean.caps, let info = caps.videoInfo else { return clean }
        do throws(OverlayError) {
            let plan = try await plan(facts, info)
            return Sample(try drawn(plan, on: buffer, info), caps: caps)
        } catch {
            note(error, of: "")
            return clean
        }
    }

    /// What has to be said since it was asked for last.
    func takeNotices() -> [String] {
        defer { notices = [] }
        return notices
    }

    /// Ends what decodes.
    func close() { decoder.close() }
}

extension BurnIn {
    private func plan(_ facts: Facts, _ info: VideoInfo) async throws(OverlayError) -> OverlayPlan {
        guard let planner else { throw OverlayError(.rasteriser, "nothing is there to draw with") }
        let now = PipelineClock.system.now
        resting = resting.filter { $0.value > now }
        var contents = OverlayContents(
            layers.filter { resting[$0.name] == nil }, appearance: appearance, values: facts.values)
        let result = try await planner.plan(contents, at: Int(facts.time.seconds), for: info)
        guard !result.failures.isEmpty else { return result.plan }
        for (layer, error) in result.failures {
            note(error, of: layer)
            if error.code == .tooMuch { resting[layer] = now + Self.rest }
        }
        // Of a layer that failed, the plan has what was there before: in a still, that would be wrong.
        let failed = Set(result.failures.map(\.layer))
        contents.layers.removeAll { failed.contains($0.name) }
        return try await planner.plan(contents, at: Int(facts.time.seconds), for: info).plan
    }

    /// A copy with the layers in it, since somebody else may hold the frame.
    private func drawn(_ plan: OverlayPlan, on buffer: Buffer, _ info: VideoInfo) throws(OverlayError) -> Buffer {
        do {
            let pool = try pool.flatMap { $0.info == info ? $0 : nil } ?? FramePool(info)
            self.pool = pool
            return try pool.makeFrame { output in
                try buffer.withVideoFrame(info) { input in try input.eachPlane(into: &output) { _, rows in rows.copy() }
                }
                plan.blend(into: &output)
            }
        } catch {
            throw OverlayError(.format, "a frame cannot be drawn on: \(error)")
        }
    }

    private func note(_ error: OverlayError, of layer: String) {
        guard told.insert("\(layer) \(error.code)").inserted else { return }
        let subject = layer.isEmpty ? "layers" : "layer \(layer)"
        notices.append("pictures are stored without the \(subject) of burn-in: \(error)")
    }
}

extension BurnIn.Facts {
    /// What placeholders stand for; no second is left to count.
    fileprivate var values: [String: String] {
        ["n": "\(sequence)", "camera": camera, "countdown": "", "offset": signedOffset]
    }

    private var signedOffset: String {
        let milliseconds = offset.nanoseconds / 1_000_000
        return (milliseconds < 0 ? "" : "+") + "\(milliseconds) ms"
    }
}
