// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipKit
import Glibc
import OverlayCompositor
import PresetKit
import TerminalKit

/// One run of `gst-capture record`: it connects settings, controller, reports and signals.
struct RecordRun: Sendable {
    let options: [SettingAssignment]
    let reporting: ReportingOptions

    /// Records to the end.
    ///
    /// - Throws: ``ExitStatus`` if the recording was not successful, after all errors were reported. Without `--json` also
    ///   ``CaptureError``, which the caller reports.
    func run() async throws {
        let status: ExitStatus
        do throws(CaptureError) {
            status = try await runToEnd()
        } catch {
            guard reporting.json else { throw error }
            if let status = SignalListener.status { throw status }
            StandardStream.output.line(JSONValue.event("error", ["error": error.json]).text)
            Console().report(error)
            throw ExitStatus(error)
        }
        if status != .success { throw status }
    }

    private func runToEnd() async throws(CaptureError) -> ExitStatus {
        let configuration = try await configuration()
        if reporting.dryRun {
            StandardStream.output.line(try configuration.camera.pipelineDescription())
            return .success
        }
        let rasterizer = configuration.camera.burnIn.isEmpty ? nil : try RasterProcess.installed()
        let console = Console()
        await GStreamerStart.finished { if !reporting.json { console.warn($0.description) } }
        guard let signals = SignalListener.listen() else { return SignalListener.status ?? .success }
        let controller = ClipController(configuration, rasterizer: rasterizer)
        return await run(controller, signals, printer(console))
    }

    private func run(
        _ controller: ClipController, _ signals: AsyncStream<Int32>, _ printer: any ClipPrinter
    ) async -> ExitStatus {
        await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await Self.handle(signals, controller) }
            group.addTask {
                var printer = printer
                for await event in controller.events { printer.show(event) }
                return nil
            }
            let summary = await controller.run()
            // The printer ends with the events, the handler of signals with the group.
            var signal: Int32?
            group.cancelAll()
            for await ended in group { signal = ended ?? signal }
            return Self.status(of: summary, stoppedBy: signal)
        }
    }

    /// Handles signals until the recording is over.
    ///
    /// - Returns: The signal that ended it.
    private static func handle(_ signals: AsyncStream<Int32>, _ controller: ClipController) async -> Int32? {
        var end: Int32?
        for await signal in signals {
            switch signal {
            case SIGUSR1: await controller.trigger()
            case SIGUSR2: await controller.stop()
            case SIGINT, SIGTERM, SIGQUIT, SIGHUP:
                // A second signal does not wait for a camera or a disk that hangs.
                if end != nil { ExitStatus(code: 128 + signal).leave() }
                end = signal
                Task { await controller.stop() }
            case SIGTSTP: SignalListener.stop()
            default: break
            }
        }
        return end
    }

    private static func status(of summary: ClipSummary, stoppedBy signal: Int32?) -> ExitStatus {
        if case .failed(let error) = summary.ending { return ExitStatus(error) }
        if let signal, summary.clipCount == 0 { return ExitStatus(code: 128 + signal) }
        return .success
    }

    private func printer(_ console: Console) -> any ClipPrinter {
        reporting.json ? JSONClipPrinter() : LineClipPrinter(console, isQuiet: reporting.quiet)
    }

    /// Reads the settings and finds the camera, on threads that may block.
    private func configuration() async throws(CaptureError) -> ClipConfiguration {
        let (options, preset) = (options, reporting.preset)
        let settings = try await BlockingWork.run { () throws(CaptureError) in
            let settings = try SettingSources.resolve(options: options, preset: preset)
            var checked = settings
            (checked.camera, checked.source) = (Camera.sceneID, nil)
            _ = try ClipConfiguration(checked)
            return settings
        }
        var camera: Camera?
        if let name = settings.cameraToFind { camera = try await CameraFinder.find(name) }
        return try await BlockingWork.run { [camera] () throws(CaptureError) in
            try ClipConfiguration(settings, camera: camera)
        }
    }
}
