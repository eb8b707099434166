// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// An element that encodes AAC.
package struct SoundEncoder: Sendable, Hashable {
    /// The name of the element.
    package let element: String
    /// The number of samples by which the encoder's times are late: its output begins with as many samples of silence.
    package let priming: Int

    /// Creates a description of an encoder.
    package init(element: String, priming: Int) { (self.element, self.priming) = (element, priming) }

    /// The known encoders, the best first. The tests measure the priming of each encoder that the machine has. That of
    /// `fdkaacenc`, which Debian has in non-free only, was not measured, so it is the last resort.
    package static let all = [
        SoundEncoder(element: "avenc_aac", priming: 1024), SoundEncoder(element: "voaacenc", priming: 1600),
        SoundEncoder(element: "fdkaacenc", priming: 2048),
    ]

    /// Returns the element in gst-launch syntax. It encodes sound with caps that `audioconvert` offers.
    func description(bitrate: Int) -> String { "\(element) bitrate=\(bitrate)" }
}

/// The AAC encoders of this machine. An encoder counts only after it has encoded ten packets.
///
/// Each encoder is tried once; callers that ask during the trial wait for its result.
package actor SoundEncoders {
    /// An encoder, and the result of its trial.
    package struct Candidate: Sendable, Hashable {
        /// The encoder.
        package let encoder: SoundEncoder
        /// The reason why the encoder cannot be used, with a remedy if one is known; `nil` if it works.
        package let failure: CaptureError?
    }

    /// The encoders of the process.
    package static let shared = SoundEncoders()

    private let known: [SoundEncoder]
    private var results: [SoundEncoder: Candidate] = [:]
    /// The encoders that are tried now, with the callers that wait.
    private var waiting: [SoundEncoder: [CheckedContinuation<Candidate, Never>]] = [:]

    /// Creates a list of encoders, the best first.
    package init(_ known: [SoundEncoder] = SoundEncoder.all) { self.known = known }

    /// Tries all encoders that were not tried yet, and returns all.
    package func candidates() async -> [Candidate] {
        var all: [Candidate] = []
        for encoder in known { all.append(await candidate(encoder)) }
        return all
    }

    /// Returns the first encoder that works.
    ///
    /// - Parameter name: The element to use; `nil` for any.
    /// - Throws: ``CaptureError`` of kind `configuration` if there is none: the message has the reason for each.
    package func encoder(named name: String? = nil) async throws(CaptureError) -> SoundEncoder {
        var failures: [CaptureError] = []
        for encoder in known where name == nil || encoder.element == name {
            guard let failure = await candidate(encoder).failure else { return encoder }
            failures.append(failure)
        }
        let names = known.map(\.element).joined(separator: ", ")
        guard !failures.isEmpty else {
            throw CaptureError(
                .configuration, "is not a known encoder of AAC", subject: name, advice: "use one of \(names)")
        }
        if failures.count == 1 { throw failures[0] }
        throw CaptureError(
            .configuration, "no encoder of AAC works: " + failures.map(\.summary).joined(separator: "; "),
            subject: "sound", advice: "install gstreamer1.0-plugins-bad, or gstreamer1.0-libav")
    }

    private func candidate(_ encoder: SoundEncoder) async -> Candidate {
        if let result = results[encoder] { return result }
        if waiting[encoder] != nil {
            return await withCheckedContinuation { waiting[encoder]?.append($0) }
        }
        waiting[encoder] = []
        let result = Candidate(encoder: encoder, failure: await Self.failure(of: encoder))
        results[encoder] = result
        for continuation in waiting.removeValue(forKey: encoder) ?? [] { continuation.resume(returning: result) }
        return result
    }

    /// Encodes ten packets. The result is for all callers, so a canceled one does not end the trial.
    private static func failure(of encoder: SoundEncoder) async -> CaptureError? {
        do throws(PipelineError) {
            let pipeline = try Pipeline(
                "audiotestsrc num-buffers=12 samplesperbuffer=1024 ! audio/x-raw,rate=48000,channels=2 ! audioconvert ! "
                    + "\(encoder.description(bitrate: 128_000)) ! aacparse ! "
                    + "audio/mpeg,mpegversion=4,stream-format=raw ! appsink name=packets sync=false")
            let packets = try AppSink(named: "packets", in: pipeline, .waitWhenHolding(16))
            let failure = await trial(pipeline, packets)
            pipeline.stopSoon()
            return failure.map { CaptureError(.configuration, $0, subject: encoder.element) }
        } catch {
            return CaptureError(.configuration, error.message, subject: encoder.element, advice: error.advice)
        }
    }

    /// Returns the reason why no ten packets came.
    private static func trial(_ pipeline: Pipeline, _ packets: AppSink) async -> String? {
        // A separate task: that of the caller may be canceled.
        await Task {
            do {
                try await pipeline.play()
                for _ in 0..<10 {
                    guard let caps = try await packets.nextSample()?.caps else { return "encodes too few packets" }
                    _ = try SoundFormat(caps)
                }
                return nil
            } catch let error as PipelineError {
                return error.message
            } catch {
                return "\(error)"
            }
        }.value
    }
}
