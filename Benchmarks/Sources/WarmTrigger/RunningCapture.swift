// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// A capture that waits for triggers. Its frames cost nothing, like those of a camera: the scene is drawn once, and
/// repeated 30 times a second.
final class RunningCapture {
    /// Returns the elements of one frame of the scene.
    static func scene(_ format: String) -> String {
        "videotestsrc num-buffers=1 ! video/x-raw,format=\(format),width=1920,height=1080,framerate=30/1,"
            + "colorimetry=bt601"
    }

    private let controller: CaptureController
    private var events: AsyncStream<NumberedEvent<CaptureEvent>>.Iterator
    private var running: Task<CaptureSummary, Never>?

    init(_ folder: ScratchFolder, _ format: String) throws {
        let template = try FileNameTemplate(parsing: folder.path + "/ours-\(format)-%n.jpg")
        var configuration = CaptureConfiguration(
            source: .fragment("\(Self.scene(format)) ! imagefreeze is-live=true ! video/x-raw,framerate=30/1"),
            output: .files(template))
        configuration.schedule = .every(.seconds(3600), count: nil, for: nil)
        configuration.delay = .seconds(3600)
        configuration.settle = .off
        controller = CaptureController(configuration)
        events = controller.listen().makeAsyncIterator()
    }

    /// Opens the scene, and captures a first picture, so that later ones are warm.
    func start() async throws {
        running = Task { [controller] in await controller.run() }
        while let event = await events.next(isolation: nil)?.event {
            if case .settled = event { break }
        }
        for _ in 0..<5 { _ = try await shoot() }
    }

    /// A picture, and the time that it took.
    struct Shot {
        /// From the trigger to the event of the durable picture, less the time until its frame arrived.
        let span: Duration
        let still: Still
    }

    /// Captures a picture now.
    func shoot() async throws -> Shot {
        let start = PipelineClock.system.now
        await controller.trigger()
        while let event = await events.next(isolation: nil)?.event {
            switch event {
            case .captured(let still):
                return Shot(span: PipelineClock.system.now - start - max(.zero, still.offset), still: still)
            case .failed(_, let error): throw error
            default: continue
            }
        }
        throw CaptureError(.software, "the capture ended")
    }

    func stop() async {
        await controller.finish()
        _ = await running?.value
    }
}
