// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Encodes a few frames of a pattern, to find out whether an encoder works.
enum EncoderTrial {
    /// The number of frames.
    static let frameCount = 10
    /// The time after which a driver hangs that has not encoded the frames. An encoder in software takes 0.1 s, and much
    /// longer on a machine that is busy.
    private static let limit = Duration.seconds(30)

    /// Tries an encoder.
    static func run(_ encoder: H264Encoder) async -> EncoderCatalog.Outcome {
        guard encoder != .camera else { return .usable }
        guard GStreamer.hasElement(encoder.name) else {
            return encoder.lacksDevice ? .noDevice : .notInstalled(package: encoder.package)
        }
        return await run(elements: encoder.elements(EncoderSettings()))
    }

    /// Tries elements that encode raw video.
    static func run(elements: [String]) async -> EncoderCatalog.Outcome {
        do throws(PipelineError) {
            // The stream has no end: some encoders report an error when they are drained.
            let source = ["videotestsrc", "video/x-raw,width=640,height=360,framerate=30/1"]
            let text = (source + elements + VideoEncoder.exit).joined(separator: " ! ")
            let pipeline = try Pipeline(text)
            let sink = try AppSink(named: VideoEncoder.exitName, in: pipeline, .waitWhenHolding(2))
            let watch = Task {
                // A driver that hangs reports nothing: stopping its pipeline ends the wait.
                guard (try? await Task.sleep(for: limit, clock: .suspending)) != nil else { return }
                pipeline.stopSoon()
            }
            defer { watch.cancel() }
            let outcome = await receive(from: sink, of: pipeline)
            try? await pipeline.stop(deadline: .seconds(2))
            return outcome
        } catch {
            return .failed(error)
        }
    }

    private static func receive(from sink: AppSink, of pipeline: Pipeline) async -> EncoderCatalog.Outcome {
        do throws(PipelineError) {
            try await pipeline.play(deadline: limit)
            for number in 0..<frameCount {
                guard let sample = try await sink.nextSample() else {
                    return .failed(PipelineError(.deadline, "encoded \(number) of \(frameCount) frames in \(limit)"))
                }
                guard sample.byteCount > 0, number > 0 || sample.isKey else {
                    return .failed(PipelineError(.stream, "its stream does not begin with a key frame"))
                }
            }
            return .usable
        } catch {
            return .failed(error)
        }
    }
}
