// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// A JPEG encoder in hardware, as an element of GStreamer that exists only if the machine has such a device.
///
/// Drivers of such devices differ, so an encoder must first encode a few frames of a pattern: the pictures must show the
/// same as those of libjpeg-turbo. If it fails then or later, libjpeg-turbo encodes such frames until the process ends.
/// The variable `GST_PLUGIN_FEATURE_RANK=v4l2jpegenc:NONE` switches it off. Any thread may call an encoder.
package final class HardwareJPEG: Sendable {
    /// The V4L2 encoder of the machine. GStreamer names the first one so.
    package static let shared = HardwareJPEG("v4l2jpegenc") {
        "v4l2jpegenc extra-controls=\"c,compression_quality=\($0)\""
    }

    /// The properties of frames that a trial is about.
    struct Frames: Sendable, Hashable {
        let format: String
        let width: Int, height: Int
        let quality: Int
        let expandsLevels: Bool

        init(_ info: VideoInfo, quality: Int, expandsLevels: Bool) {
            (format, width, height) = (info.format, info.width, info.height)
            (self.quality, self.expandsLevels) = (quality, expandsLevels)
        }
    }

    /// The result of a trial.
    package enum Verdict: Sendable, Hashable {
        /// The pictures have the quantization and the chroma of libjpeg-turbo's.
        case exact
        /// The pictures are right, but the driver ignores the quality, or drops chroma.
        case inexact
        /// The reason for which the encoder is not used.
        case failed(String)
    }

    /// The encoder for some frames.
    package enum Choice: Sendable, Hashable {
        case hardware
        /// The hardware, if it passes a trial.
        case trial
        /// libjpeg-turbo, with the reason.
        case library(String)
    }

    /// The name of the element.
    package let element: String
    private let description: @Sendable (_ quality: Int) -> String
    private let limit: Duration
    private let verdicts = Mutex<[Frames: Verdict]>([:])

    /// The most verdicts that are kept: viewers may request any number of sizes.
    private static let mostVerdicts = 64

    /// - Parameters:
    ///   - element: The element whose rank decides whether the encoder is used.
    ///   - limit: The time after which a driver hangs that has not encoded a frame.
    ///   - description: Returns the elements that encode with a quality of 0...100, in gst-launch syntax.
    package init(
        _ element: String, limit: Duration = .seconds(2), _ description: @escaping @Sendable (_ quality: Int) -> String
    ) {
        (self.element, self.limit, self.description) = (element, limit, description)
    }

    /// Chooses between the hardware and libjpeg-turbo.
    ///
    /// - Parameters:
    ///   - rank: The rank of the element; `nil` if the machine has none.
    ///   - verdict: The result of the trial; `nil` before it.
    ///   - isExact: `true` if pictures need the requested quality, and all chroma of their frames.
    package static func choice(of element: String, rank: Int?, verdict: Verdict?, isExact: Bool) -> Choice {
        switch (rank, verdict) {
        case (nil, _): .library("the machine has no \(element)")
        case (0, _): .library("GST_PLUGIN_FEATURE_RANK switches \(element) off")
        case (_, nil): .trial
        case (_, .exact): .hardware
        case (_, .inexact): isExact ? .library("\(element) changes the quality or the chroma") : .hardware
        case (_, .failed(let reason)): .library("\(element) failed: \(reason)")
        }
    }

    /// Returns the choice for some frames, after a trial if there was none. A canceled task gets `.trial`.
    ///
    /// - Parameter caps: Raw video that ``JPEGWriter`` can encode; other frames get libjpeg-turbo.
    package func choice(for caps: Caps, quality: Int, isExact: Bool) async -> Choice {
        guard let info = caps.videoInfo,
            let writer = JPEGWriter(format: info.format, quality: quality, expandsLevels: false)
        else { return .library("the frames must be converted") }
        let frames = Frames(info, quality: quality, expandsLevels: false)
        if choice(for: frames, isExact) == .trial { _ = await line(for: frames, caps, isExact, writer) }
        return choice(for: frames, isExact)
    }

    private func choice(for frames: Frames, _ isExact: Bool) -> Choice {
        Self.choice(
            of: element, rank: GStreamer.rank(ofElement: element), verdict: verdicts.withLock { $0[frames] },
            isExact: isExact)
    }

    /// Starts the encoder for some frames.
    ///
    /// - Parameter writer: libjpeg-turbo for the same frames; a trial compares with it.
    /// - Returns: The encoder; `nil` if libjpeg-turbo is to be used, with a notice for the user if a trial has just
    ///   failed.
    func line(
        for frames: Frames, _ caps: Caps, _ isExact: Bool, _ writer: JPEGWriter
    ) async -> (line: HardwareLine?, notice: Notice?) {
        let choice = choice(for: frames, isExact)
        if case .library = choice { return (nil, nil) }
        do throws(CaptureError) {
            let line = HardwareLine(
                try await EncoderLine(
                    encoder: description(frames.quality), caps, expandsRange: frames.expandsLevels),
                frames, limit)
            guard choice == .trial else { return (line, nil) }
            let verdict = try await line.compare(with: writer, caps)
            if case .failed(let reason) = verdict { return (nil, reject(frames, reason)) }
            record(verdict, of: frames)
            return (self.choice(for: frames, isExact) == .hardware ? line : nil, nil)
        } catch {
            return (nil, Task.isCancelled ? nil : reject(frames, error.message))
        }
    }

    /// Has libjpeg-turbo encode such frames from now on. Returns the notice for the user.
    func reject(_ frames: Frames, _ reason: String) -> Notice {
        record(.failed(reason), of: frames)
        let what = "\(frames.format) frames of \(frames.width)x\(frames.height)"
        return Notice(
            .encoderReplaced, about: element,
            "\(element) fails with \(what), which libjpeg-turbo encodes from now on: \(reason)")
    }

    private func record(_ verdict: Verdict, of frames: Frames) {
        verdicts.withLock { verdicts in
            if verdicts.count >= Self.mostVerdicts { verdicts.removeAll() }
            verdicts[frames] = verdict
        }
    }
}

/// A hardware encoder that runs, for one frame at a time. Releasing the last reference stops it.
struct HardwareLine: Sendable {
    let frames: HardwareJPEG.Frames
    private let line: EncoderLine
    private let limit: Duration

    init(_ line: EncoderLine, _ frames: HardwareJPEG.Frames, _ limit: Duration) {
        (self.line, self.frames, self.limit) = (line, frames, limit)
    }

    /// Encodes a frame. Close the encoder after an error.
    ///
    /// - Throws: ``CaptureError`` if the driver fails or hangs, or if the task is canceled.
    func encode(_ frame: Sample) async throws(CaptureError) -> [UInt8] {
        // A driver that hangs reports nothing: stopping its pipeline ends the wait.
        let watch = Task { [line, limit] in
            guard (try? await Task.sleep(for: limit, clock: .suspending)) != nil else { return }
            line.close()
        }
        defer { watch.cancel() }
        let output = try await line.encode(frame)
        do {
            return JPEGPicture.addingTables(to: try output.buffer?.bytes() ?? [])
        } catch {
            throw CaptureError(.inputOutput, "a picture cannot be read: \(error)", subject: "encoder")
        }
    }

    func close() { line.close() }

    /// Encodes a pattern, and compares the picture with that of libjpeg-turbo.
    ///
    /// - Throws: The errors of ``encode(_:)`` and ``JPEGWriter/write(_:)``.
    func compare(with writer: JPEGWriter, _ caps: Caps) async throws(CaptureError) -> HardwareJPEG.Verdict {
        let pattern: Sample
        do {
            guard let info = caps.videoInfo else { throw PipelineError(.map, "it is no raw video") }
            pattern = Sample(try FramePool(info).makeFrame { writer.drawPattern(on: &$0) }, caps: caps)
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be made: \(error)")
        }
        var result: [UInt8] = []
        for _ in 0..<3 { result = try await encode(pattern) }
        return try await BlockingWork.run { [result] () throws(CaptureError) in
            let wanted = try writer.write(pattern)
            guard try Self.looksSame(result, wanted) else { return .failed("its pictures are wrong") }
            let (coding, wantedCoding) = (try JPEGPicture(result).coding, try JPEGPicture(wanted).coding)
            return coding.isLike(wantedCoding) ? .exact : .inexact
        }
    }

    /// Compares pictures at an eighth of their size. Encoders fill the last blocks at the edges with different bytes.
    private static func looksSame(_ one: [UInt8], _ other: [UInt8]) throws(CaptureError) -> Bool {
        let (one, other) = (try PictureFile(one, .jpeg), try PictureFile(other, .jpeg))
        guard (one.width, one.height) == (other.width, other.height) else { return false }
        let (pixels, wanted) = (try Self.pixels(of: one), try Self.pixels(of: other))
        let far = zip(pixels, wanted).count { pixel, wanted in
            (0..<3).contains { abs(Int(pixel[$0]) - Int(wanted[$0])) > 12 }
        }
        return far * 10 <= wanted.count
    }

    private static func pixels(of file: PictureFile) throws(CaptureError) -> [SIMD4<UInt8>] {
        var pixels: [SIMD4<UInt8>] = []
        try file.decode(divisor: 8, isStrict: true, until: CancelFlag()) { row, _ in pixels += row }
        return pixels
    }
}
