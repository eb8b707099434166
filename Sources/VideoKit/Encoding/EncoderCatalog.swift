// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// The H.264 encoders of this machine.
///
/// An encoder must first encode ten frames: drivers may have an element for hardware that does not work. The trial of each
/// encoder runs once, and all callers share its result.
package actor EncoderCatalog {
    /// The encoders of the process.
    package static let shared = EncoderCatalog()

    /// The result of a trial.
    package enum Outcome: Sendable, Hashable {
        /// The encoder works.
        case usable
        /// The machine has no device for the encoder.
        case noDevice
        /// The encoder is not installed; its Debian package, if it is known.
        case notInstalled(package: String?)
        /// The encoder is installed, but does not work.
        case failed(PipelineError)
    }

    /// An encoder with the result of its trial.
    package struct Candidate: Sendable, Hashable {
        package let encoder: H264Encoder
        package let outcome: Outcome
    }

    /// How an encoder is chosen.
    package enum Choice: Sendable, Hashable {
        /// The camera if it encodes, or the first encoder that works.
        case automatic
        /// This encoder.
        case only(H264Encoder)
    }

    private let encoders: [H264Encoder]
    private let trial: @Sendable (H264Encoder) async -> Outcome
    private var trials: [H264Encoder: Task<Outcome, Never>] = [:]

    /// Creates a catalog; it tries no encoder yet.
    ///
    /// - Parameters:
    ///   - encoders: The encoders, the preferred ones first.
    ///   - trial: Tries an encoder.
    init(
        _ encoders: [H264Encoder] = H264Encoder.ofMachine,
        trial: @escaping @Sendable (H264Encoder) async -> Outcome = { await EncoderTrial.run($0) }
    ) { (self.encoders, self.trial) = (encoders, trial) }

    /// Tries all encoders, one after the other, and returns them in order of preference.
    package func candidates() async -> [Candidate] {
        var candidates: [Candidate] = []
        for encoder in encoders { candidates.append(Candidate(encoder: encoder, outcome: await outcome(of: encoder))) }
        return candidates
    }

    /// Chooses an encoder.
    ///
    /// - Parameter caps: The camera's frames; `nil` if they are not known, or must be decoded in any case.
    /// - Throws: ``CaptureError`` of kind `configuration` if there is none, with the package to install.
    package func encoder(_ choice: Choice = .automatic, for caps: Caps?) async throws(CaptureError) -> H264Encoder {
        let isEncoded = caps.map(H264Encoder.isEncoded) == true
        switch choice {
        case .automatic:
            if isEncoded { return .camera }
            var candidates: [Candidate] = []
            for encoder in encoders {
                let outcome = await outcome(of: encoder)
                if outcome == .usable { return encoder }
                candidates.append(Candidate(encoder: encoder, outcome: outcome))
            }
            throw .noEncoder(candidates)
        case .only(.camera):
            guard isEncoded else { throw .cameraDoesNotEncode }
            return .camera
        case .only(let encoder):
            let outcome = await outcome(of: encoder)
            guard outcome == .usable else { throw .unusable(Candidate(encoder: encoder, outcome: outcome)) }
            return encoder
        }
    }

    /// Runs the trial once, in a separate task: other callers wait for it if this one is canceled. A time limit ends it.
    private func outcome(of encoder: H264Encoder) async -> Outcome {
        if let running = trials[encoder] { return await running.value }
        let task = Task { [trial] in await trial(encoder) }
        trials[encoder] = task
        return await task.value
    }
}

extension EncoderCatalog.Choice {
    /// Reads a choice: `auto`, `camera`, or the name of an element.
    ///
    /// - Throws: ``CaptureError`` of kind `configuration` with the names.
    package init(_ text: String) throws(CaptureError) {
        if text == "auto" {
            self = .automatic
        } else if let encoder = H264Encoder(rawValue: text) {
            self = .only(encoder)
        } else {
            let names = H264Encoder.allCases.map(\.name).joined(separator: ", ")
            throw CaptureError(
                .configuration, "\"\(text)\" is not an encoder of H.264", advice: "choose auto, or one of \(names)")
        }
    }
}

extension EncoderCatalog.Candidate: CustomStringConvertible {
    /// `openh264enc: usable`, or the reason why the encoder is not used.
    package var description: String { "\(encoder.name): \(reason)" }

    /// `true` if the encoder is installed, but does not work.
    fileprivate var hasFailed: Bool {
        if case .failed = outcome { true } else { false }
    }

    /// `usable`, or the reason why the encoder is not used.
    package var reason: String {
        switch outcome {
        case .usable: "usable"
        case .noDevice: "this machine has no device for it"
        case .notInstalled(let package): "not installed" + (package.map { "; install \($0)" } ?? "")
        case .failed(let error): "does not work: \(error.message)"
        }
    }
}

extension CaptureError {
    /// The error if no encoder works. It names the package of an encoder in software, which works on every machine.
    fileprivate static func noEncoder(_ candidates: [EncoderCatalog.Candidate]) -> CaptureError {
        let packages = candidates.compactMap { candidate -> String? in
            guard case .notInstalled(let package?) = candidate.outcome, !candidate.encoder.needsDevice else {
                return nil
            }
            return "\(package), which has \(candidate.encoder.name)"
        }
        let failures = candidates.filter(\.hasFailed)
        return CaptureError(
            .configuration,
            "this machine has no encoder of H.264 that works"
                + (failures.isEmpty ? "" : " (\(failures.map(\.description).joined(separator: "; ")))"),
            advice: packages.first.map { "install \($0)" } ?? "check GStreamer's plugins with gst-capture doctor")
    }

    fileprivate static func unusable(_ candidate: EncoderCatalog.Candidate) -> CaptureError {
        switch candidate.outcome {
        case .usable, .noDevice:
            CaptureError(
                .configuration, "this machine has no device for it", subject: candidate.encoder.name,
                advice: "choose another encoder, or auto")
        case .notInstalled(let package):
            CaptureError(
                .configuration, "not installed", subject: candidate.encoder.name,
                advice: package.map { "install \($0)" } ?? "choose another encoder, or auto")
        case .failed(let error):
            CaptureError(
                .configuration, "does not work: \(error.message)", subject: candidate.encoder.name,
                advice: error.advice ?? "choose another encoder, or auto")
        }
    }

    fileprivate static let cameraDoesNotEncode = CaptureError(
        .configuration, "the camera does not deliver H.264", advice: "request it with --format, or choose auto")
}
