// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Encodes frames as stills in a small pipeline that it keeps: it builds the pipeline for the first frame, and again
/// when the format of the frames changes. Frames that JPEG takes as they are need no pipeline: ``JPEGWriter`` encodes
/// them.
///
/// One call at a time uses the pipeline, and others wait. An actor accepts other calls while it awaits the encoder, and
/// ``prepare(for:)`` must neither build a second pipeline nor close the one that encodes a frame. The encoder owns its
/// pipeline; ``close()`` stops it.
package final class StillEncoder {
    private let format: StillFormat
    private let quality: Int
    private let orientation: Orientation
    private let isDrawable: (@Sendable (String) -> Bool)?
    private let hardware: HardwareJPEG?
    private let isExact: Bool
    private var notices: [Notice] = []
    private var stage: Stage?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A running pipeline for frames of one format.
    private struct Stage {
        let caps: Caps
        /// The orientation in the tags of the frames.
        let own: Orientation
        let description: EncoderDescription
        let work: Work

        /// The encoder of the frames.
        enum Work {
            /// The frame already is the still.
            case nothing
            case writer(JPEGWriter)
            case hardware(HardwareLine)
            case line(EncoderLine)
        }

        /// Returns `true` for frames that have the same memory layout and need the same elements, even if their caps
        /// differ otherwise.
        func takes(_ caps: Caps, _ description: EncoderDescription) -> Bool {
            guard self.description == description, let own = self.caps.videoInfo, let other = caps.videoInfo else {
                return false
            }
            return own.format == other.format && own.width == other.width && own.height == other.height
        }
    }

    /// A still's data, encoded but without metadata.
    package struct Encoded: Sendable {
        package let bytes: [UInt8]
        /// The orientation for the tag.
        package let orientation: Orientation
        /// The format of the bytes if they are raw video; otherwise `nil`.
        package let info: VideoInfo?
        /// The color and layout of raw bytes.
        package let caps: Caps
    }

    /// - Parameters:
    ///   - isDrawable: Returns `true` for pixel formats that can be drawn on: raw frames of other formats are converted.
    ///     `nil` converts none.
    ///   - hardware: The encoder that is used instead of libjpeg-turbo if it works; `nil` for few or unequal frames,
    ///     which are not worth a trial.
    ///   - isExact: `true` if pictures need the quality, and all chroma of their frames.
    package init(
        format: StillFormat, quality: Int, orientation: Orientation, isDrawable: (@Sendable (String) -> Bool)? = nil,
        hardware: HardwareJPEG? = nil, isExact: Bool = true
    ) {
        self.format = format
        self.quality = quality
        self.orientation = orientation
        self.isDrawable = isDrawable
        (self.hardware, self.isExact) = (hardware, isExact)
    }

    /// Builds the pipeline ahead of the first frame, if the format is already known.
    package func prepare(for caps: Caps) async throws(CaptureError) {
        await begin()
        defer { end() }
        _ = try await stage(for: caps, .upright)
    }

    /// Waits until no other call uses the pipeline.
    private func begin() async {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
    }

    /// Resumes the next waiting call. `isBusy` stays `true` for it, so that no other call comes between.
    private func end() {
        isBusy = !waiting.isEmpty
        if isBusy { waiting.removeFirst().resume() }
    }

    /// Encodes a frame.
    ///
    /// - Throws: ``CaptureError`` if the frame cannot be converted to the still, if an element failed, or if the task
    ///   is canceled.
    package func encode(_ sample: Sample) async throws(CaptureError) -> Encoded {
        let (output, caps, description) = try await run(sample)
        switch output {
        case .sample(let sample): return try StillEncoder.read(sample, caps, description)
        case .jpeg(let bytes):
            return Encoded(bytes: bytes, orientation: description.remainingOrientation, info: nil, caps: caps)
        }
    }

    /// Runs a frame through the elements, without copying its bytes out.
    ///
    /// - Throws: The errors of ``encode(_:)``.
    package func convert(_ sample: Sample) async throws(CaptureError) -> Sample {
        let (output, caps, _) = try await run(sample)
        switch output {
        case .sample(let sample): return sample
        case .jpeg(let bytes):
            do {
                return Sample(try Buffer(bytes), caps: caps)
            } catch {
                throw CaptureError(.inputOutput, "a frame cannot be encoded: \(error)", subject: "encoder")
            }
        }
    }

    private enum Output {
        case sample(Sample)
        case jpeg([UInt8])
    }

    private func run(
        _ sample: Sample
    ) async throws(CaptureError) -> (output: Output, caps: Caps, description: EncoderDescription) {
        guard let caps = sample.caps else {
            throw CaptureError(
                .configuration, "the source does not declare the format of its frames",
                advice: "add caps to the source, or use --decode auto")
        }
        // A JPEG frame for a JPEG still is checked when it is parsed for its tags.
        if caps.videoInfo != nil || format != .jpeg { try sample.checkWhole() }
        await begin()
        defer { end() }
        var stage = try await stage(for: caps, sample.ownOrientation)
        do throws(CaptureError) {
            if case .hardware(let line) = stage.work {
                if let jpeg = try await bytes(of: sample, by: line) {
                    return (.jpeg(jpeg), Self.jpeg ?? caps, stage.description)
                }
                stage = try await self.stage(for: caps, sample.ownOrientation)
            }
            switch stage.work {
            case .nothing: return (.sample(sample), caps, stage.description)
            case .writer(let writer):
                let bytes = try await BlockingWork.run { () throws(CaptureError) in try writer.write(sample) }
                return (.jpeg(bytes), Self.jpeg ?? caps, stage.description)
            case .hardware(let line):
                return (.jpeg(try await line.encode(sample)), Self.jpeg ?? caps, stage.description)
            case .line(let line):
                let output = try await line.encode(sample)
                return (.sample(output), output.caps ?? caps, stage.description)
            }
        } catch {
            // A pipeline that failed is not used again.
            close()
            throw error
        }
    }

    /// Returns `nil` if the hardware has failed, so that the next stage is one of libjpeg-turbo.
    ///
    /// - Throws: The error if the encoder was closed, or the task canceled.
    private func bytes(of sample: Sample, by line: HardwareLine) async throws(CaptureError) -> [UInt8]? {
        do throws(CaptureError) {
            return try await line.encode(sample)
        } catch {
            guard let hardware, stage != nil, !Task.isCancelled else { throw error }
            notices.append(hardware.reject(line.frames, error.message))
            close()
            return nil
        }
    }

    private static let jpeg = try? Caps("image/jpeg")

    /// Stops the pipeline; a call that uses it throws. A later frame builds a new pipeline.
    package func close() {
        switch stage?.work {
        case .line(let line): line.close()
        case .hardware(let line): line.close()
        case .nothing, .writer, nil: break
        }
        stage = nil
    }

    /// Returns the notices since the last call.
    package func drainNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// - Parameter own: The orientation in the frame's own tags. Elements that decode the frame drop these tags.
    private func stage(for caps: Caps, _ own: Orientation) async throws(CaptureError) -> Stage {
        if let stage, stage.caps == caps, stage.own == own { return stage }
        let description = try EncoderDescription(
            from: caps, to: format, quality: quality, orientation: own.then(orientation), isDrawable: isDrawable)
        if let stage, stage.takes(caps, description) { return stage }
        close()
        let stage = Stage(
            caps: caps, own: own, description: description, work: try await work(description, for: caps))
        self.stage = stage
        return stage
    }

    private func work(_ description: EncoderDescription, for caps: Caps) async throws(CaptureError) -> Stage.Work {
        if description.elements.isEmpty, !description.expandsRange { return .nothing }
        let expandsLevels = description.expandsRange
        guard description.isPlainJPEG, let info = caps.videoInfo,
            let writer = JPEGWriter(format: info.format, quality: quality, expandsLevels: expandsLevels)
        else { return .line(try await EncoderLine(description, caps)) }
        guard let hardware else { return .writer(writer) }
        let frames = HardwareJPEG.Frames(info, quality: quality, expandsLevels: expandsLevels)
        let (line, notice) = await hardware.line(for: frames, caps, isExact, writer)
        if let notice { notices.append(notice) }
        return line.map(Stage.Work.hardware) ?? .writer(writer)
    }

    private static func read(
        _ sample: Sample, _ caps: Caps, _ description: EncoderDescription
    ) throws(CaptureError) -> Encoded {
        do {
            guard let buffer = sample.buffer else { throw PipelineError(.map, "the sample is empty") }
            // The distance between rows may be larger than the caps alone imply.
            let info = try caps.videoInfo.map { info in try buffer.withVideoFrame(info) { $0.info } }
            return Encoded(
                bytes: try buffer.bytes(), orientation: description.remainingOrientation, info: info, caps: caps)
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be read: \(error)")
        }
    }
}
