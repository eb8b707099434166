// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Synchronization
import Testing

@testable import VideoKit

@Suite("EncoderCatalog")
struct EncoderCatalogTests {
    private static let outcomes: [H264Encoder: EncoderCatalog.Outcome] = [
        .v4l2: .noDevice, .va: .failed(PipelineError(.stream, "it broke")), .openH264: .usable, .x264: .usable,
    ]

    private func catalog(_ outcomes: [H264Encoder: EncoderCatalog.Outcome] = outcomes) -> EncoderCatalog {
        EncoderCatalog { outcomes[$0] ?? .notInstalled(package: $0.package) }
    }

    @Test("The camera's H.264 is preferred, then the first encoder that works")
    func order() async throws {
        let catalog = catalog()
        #expect(try await catalog.encoder(for: Caps("video/x-h264")) == .camera)
        #expect(try await catalog.encoder(for: Caps("image/jpeg")) == .openH264)
        #expect(try await catalog.encoder(for: nil) == .openH264)
        #expect(try await catalog.encoder(.only(.x264), for: nil) == .x264)
    }

    @Test("Each candidate says whether it is usable, or why not")
    func candidates() async {
        let lines = await catalog().candidates().map(\.description)
        #expect(
            lines == [
                "v4l2h264enc: this machine has no device for it", "vah264enc: does not work: it broke",
                "vaapih264enc: not installed; install gstreamer1.0-vaapi", "openh264enc: usable", "x264enc: usable",
            ])
    }

    @Test("Without an encoder, the error names the package to install")
    func none() async throws {
        let catalog = catalog([.va: .failed(PipelineError(.stream, "it broke"))])
        let error = await #expect(throws: CaptureError.self) { try await catalog.encoder(for: nil) }
        #expect(error?.code == .configuration)
        #expect(error?.advice == "install gstreamer1.0-plugins-bad, which has openh264enc")
        #expect(error?.message.contains("it broke") == true)
    }

    @Test("An encoder by name that does not work is an error with its reason")
    func byName() async throws {
        let catalog = catalog([:])
        for (encoder, advice) in [(H264Encoder.x264, "install gstreamer1.0-plugins-ugly")] {
            let error = await #expect(throws: CaptureError.self) { try await catalog.encoder(.only(encoder), for: nil) }
            #expect(error?.advice == advice)
            #expect(error?.subject == encoder.name)
        }
        await #expect(throws: CaptureError.self) { try await catalog.encoder(.only(.camera), for: Caps("image/jpeg")) }
    }

    @Test("Names of encoders are read, and others are refused")
    func names() throws {
        #expect(try EncoderCatalog.Choice("auto") == .automatic)
        #expect(try EncoderCatalog.Choice("camera") == .only(.camera))
        #expect(try EncoderCatalog.Choice("openh264enc") == .only(.openH264))
        let error = #expect(throws: CaptureError.self) { try EncoderCatalog.Choice("h265") }
        #expect(error?.advice?.contains("x264enc") == true)
    }

    @Test("Several callers share one trial")
    func shared() async throws {
        let counts = Mutex<[H264Encoder: Int]>([:])
        let catalog = EncoderCatalog { encoder in
            counts.withLock { $0[encoder, default: 0] += 1 }
            await Task.yield()
            return .usable
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = await catalog.candidates() } }
        }
        #expect(counts.withLock { $0.count } == 5)
        #expect(counts.withLock { $0.values.allSatisfy { $0 == 1 } })
    }

    @Test("The encoders in software work on this machine", H264Encoder.isInstalled, .timeLimit(.minutes(5)))
    func real() async throws {
        for encoder in H264Encoder.installed { #expect(await EncoderTrial.run(encoder) == .usable) }
        let profiles: [EncoderSettings.Profile] = [.constrainedBaseline, .main]
        for encoder in H264Encoder.installed {
            for profile in profiles {
                let settings = EncoderSettings(bitRate: 300_000, keyInterval: 15, threads: 2, profile: profile)
                #expect(await EncoderTrial.run(elements: encoder.elements(settings)) == .usable)
            }
        }
    }

    @Test("A broken encoder fails its trial with the error", .timeLimit(.minutes(5)))
    func broken() async throws {
        let outcome = await EncoderTrial.run(elements: ["identity error-after=4", "openh264enc"])
        guard case .failed(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.code == .stream)
        guard case .failed(let missing) = await EncoderTrial.run(elements: ["nosuchenc"]) else {
            Issue.record("a missing element is usable")
            return
        }
        #expect(missing.code == .missingElement)
    }
}
