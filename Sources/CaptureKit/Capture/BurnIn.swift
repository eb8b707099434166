// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import OverlayCompositor
import PipelineKit
import StillKit

/// Draws layers into frames before they are encoded, upright and at full size.
///
/// A layer that cannot be drawn never costs a picture: the picture is stored without that layer, and a notice reports
/// the error once. It draws one frame at a time; ``close()`` ends it.
final class BurnIn {
    /// The facts of a still that layers can show, besides its time.
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
    private let now: () -> ClockTime
    private var pool: FramePool?
    /// Layers that took too long to draw, and until when they are left out.
    private var resting: [String: ClockTime] = [:]
    private var reported: Set<String> = []
    private var notices: [Notice] = []

    /// How long a layer that took too long is left out: each attempt delays a picture.
    private static let rest = Duration.seconds(60)

    /// - Parameters:
    ///   - rasterizer: Draws the layers; without it there is only a notice.
    ///   - now: Reads the clock for the time in which a layer is left out.
    /// - Returns: `nil` if the configuration has no layers to draw.
    init?(
        _ configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)?,
        now: @escaping () -> ClockTime = { PipelineClock.system.now }
    ) {
        guard !configuration.burnIn.isEmpty else { return nil }
        layers = configuration.burnIn
        appearance = configuration.appearance
        planner = rasterizer.map { OverlayPlanner($0) }
        decoder = StillEncoder(
            format: .raw, quality: 100, orientation: configuration.orientation, isDrawable: OverlayPlan.takes)
        self.now = now
    }

    /// Builds the decoder ahead of the first frame, if the format is already known. The decoder also turns frames
    /// upright.
    func prepare(for caps: Caps) async throws(CaptureError) { try await decoder.prepare(for: caps) }

    /// Returns the frame as raw video, upright, with the layers drawn into it.
    ///
    /// - Throws: ``CaptureError`` if the frame cannot be decoded.
    func draw(on sample: Sample, _ facts: Facts) async throws(CaptureError) -> Sample {
        let clean = try await decoder.convert(sample)
        guard let buffer = clean.buffer, let caps = clean.caps, let info = caps.videoInfo else { return clean }
        do throws(OverlayError) {
            let plan = try await plan(facts, info)
            return Sample(try drawn(plan, on: buffer, info), caps: caps)
        } catch {
            addNotice(error, of: "")
            return clean
        }
    }

    /// Returns the notices since the last call.
    func drainNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// Closes the decoder.
    func close() { decoder.close() }
}

extension BurnIn {
    private func plan(_ facts: Facts, _ info: VideoInfo) async throws(OverlayError) -> OverlayPlan {
        guard let planner else { throw OverlayError(.rasterizer, "gst-capture-raster, which draws layers, is missing") }
        let start = now()
        resting = resting.filter { $0.value > start }
        var contents = OverlayContents(
            layers.filter { resting[$0.name] == nil }, appearance: appearance, values: facts.values)
        let result = try await planner.plan(contents, at: Int(facts.time.seconds), for: info)
        guard !result.failures.isEmpty else { return result.plan }
        for (layer, error) in result.failures {
            addNotice(error, of: layer)
            // The rest begins now: the attempt itself can have taken a minute.
            if error.code == .tooMuch { resting[layer] = now() + Self.rest }
        }
        // For a layer that failed, the plan has its earlier drawing, which would be wrong in a still.
        let failed = Set(result.failures.map(\.layer))
        contents.layers.removeAll { failed.contains($0.name) }
        return try await planner.plan(contents, at: Int(facts.time.seconds), for: info).plan
    }

    /// Returns a copy with the layers drawn into it: other code may hold the frame.
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
            throw OverlayError(.format, "layers cannot be drawn on a frame: \(error)")
        }
    }

    private func addNotice(_ error: OverlayError, of layer: String) {
        guard reported.insert("\(layer) \(error.code)").inserted else { return }
        notices.append(Notice(error, ofBurnIn: layer))
    }
}

extension BurnIn.Facts {
    /// The values of the placeholders; `countdown` is empty, as the countdown is over.
    fileprivate var values: [String: String] {
        ["n": "\(sequence)", "camera": camera, "countdown": "", "offset": signedOffset]
    }

    private var signedOffset: String {
        let milliseconds = offset.nanoseconds / 1_000_000
        return (milliseconds < 0 ? "" : "+") + "\(milliseconds) ms"
    }
}
